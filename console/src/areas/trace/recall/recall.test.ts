import { beforeAll, describe, expect, it } from 'vitest'
import type { Formats, Text } from '@/i18n'
import { offsetOf } from '@/i18n/formats'
import { fill, loadAreaTexts } from '@/i18n/text'
import { toCsv } from '@/ui/table/csv'
import { codesIn, keyInLink } from './codes'
import { fileColumns, suspectsOf } from './file'
import {
  awayAt,
  countsOf,
  customersOf,
  detailOf,
  groupsOf,
  isInside,
  partnerOf,
  type RecalledUnit,
  sinceOf,
  suspectsIn,
} from './groups'
import { keepList, keptList, namesOf } from './lists'
import { type Found, lookUp } from './lookup'
import { bodyOf, hasCriteria, isEmpty, namesAnybody, selectionOf } from './selection'

describe('the address', () => {
  it('holds suspects, and drops what it does not know', () => {
    const search = {
      serial: ['a', 'b'],
      product: 'pm-4',
      from: '2026-11-01',
      to: 'soon',
      rows: 'all',
      place: 'moon',
      replaced: 'true',
    }
    expect(selectionOf(search)).toMatchObject({
      serial: ['a', 'b'],
      product: 'pm-4',
      from: '2026-11-01',
      to: undefined,
      rows: 'all',
      place: undefined,
      replaced: true,
    })
    expect(isEmpty(selectionOf({}))).toBe(true)
    expect(isEmpty(selectionOf({ serial: 'a' }))).toBe(false)
    expect(hasCriteria(selectionOf({ day: 'released' }))).toBe(false)
  })

  it('becomes what the service is asked', () => {
    const selection = selectionOf({ product: 'pm-4', code: 'PM4-00*', order: 'wo' })
    expect(bodyOf(selection, ['a', 'a'])).toMatchObject({
      serial_key: ['a'],
      product_key: 'pm-4',
      code: 'PM4-00*',
      work_order_key: 'wo',
      batch_key: null,
      rows: 'roots',
      include_replaced: false,
    })
  })

  it('with days, everything comes by key', () => {
    const selection = selectionOf({ product: 'pm-4', from: '2026-11-01' })
    const body = bodyOf(selection, ['x'])
    expect(body).toMatchObject({ serial_key: ['x'], product_key: null })
    expect(namesAnybody(bodyOf(selection, []))).toBe(false)
    expect(namesAnybody(bodyOf(selectionOf({ product: 'p' }), []))).toBe(true)
  })
})

describe('a pasted list', () => {
  it('comes by line, or as a spreadsheet gives it', () => {
    expect(codesIn('PM4-0001\r\nPM4-0002\n\n')).toEqual(['PM4-0001', 'PM4-0002'])
    expect(codesIn('A-1\tA-2; "A-3", a-1')).toEqual(['a-1', 'A-2', 'A-3'])
    expect(codesIn('  ')).toEqual([])
  })

  it('may hold GS1 strings, whose commas are no separators', () => {
    expect(codesIn('(01)09506000134352(21)A,7')).toEqual(['A,7'])
  })

  it('knows links to units', () => {
    expect(keyInLink('/serial/abc?as_of=x')).toBe('abc')
    expect(keyInLink('/order/abc')).toBeUndefined()
  })
})

describe('looking up', () => {
  const units: Record<string, Found[]> = {
    A: [{ key: '1', code: 'A', product: 'P' }],
    B: [
      { key: '2', code: 'B', product: 'P' },
      { key: '3', code: 'B', product: 'Q' },
    ],
  }

  it('sorts out what was found, and says how far it is', async () => {
    const done: number[] = []
    const ask = async (code: string) => units[code] ?? []
    const looked = await lookUp(['A', 'B', 'C'], ask, new AbortController().signal, (count) => done.push(count))
    expect(looked.found).toEqual(units.A)
    expect(looked.several).toEqual([{ code: 'B', units: units.B }])
    expect(looked.unknown).toEqual(['C'])
    expect(done).toEqual([1, 2, 3])
  })

  it('stops when asked to', async () => {
    const control = new AbortController()
    const ask = async () => {
      control.abort()
      return []
    }
    await expect(lookUp(['A', 'B'], ask, control.signal)).rejects.toThrow()
  })
})

describe('long lists', () => {
  const kept = new Map<string, string>()
  const store = { getItem: (name: string) => kept.get(name) ?? null, setItem: kept.set.bind(kept) }
  const keys = Array.from({ length: 61 }, (_, at) => `k${at}`)
  it('are kept under a name', () => {
    const { list = '' } = namesOf('ann', keys, store)
    expect(keptList('ann', list, store)).toEqual(keys)
    expect(keepList('ann', keys, store)).toBe(list)
    expect(keptList('ann', 'none', store)).toBeUndefined()
  })
  it('are not there for the next user of the tab', () => {
    const { list = '' } = namesOf('ann', keys, store)
    expect(keptList('ben', list, store)).toBeUndefined()
  })
  it('are lost if something else was stored in their place', () => {
    const name = keepList('ann', keys, store)
    for (const place of kept.keys()) kept.set(place, '["k0",')
    expect(keptList('ann', name, store)).toBeUndefined()
  })
  it('short ones stand in the address', () => {
    expect(namesOf('ann', ['a', 'b', 'a'], store)).toEqual({ serial: ['a', 'b'] })
    expect(namesOf('ann', [], store)).toEqual({})
  })
})

function unit(key: string, status: RecalledUnit['location']['status'], more: Partial<RecalledUnit> = {}): RecalledUnit {
  return {
    unit_type: 'serial',
    serial_key: key,
    serial_code: key.toUpperCase(),
    batch_key: null,
    product_key: 'p',
    product_code: 'P',
    product_description: null,
    state: 'released',
    released: null,
    root_serial_key: key,
    root_serial_code: key.toUpperCase(),
    root_batch_key: null,
    root_product_code: 'P',
    wo_key: null,
    wo_code: null,
    project_code: null,
    location: { status, position_key: null, position_code: null, last_movement: null },
    depth: 0,
    via_count: 1,
    via: [key],
    ...more,
  }
}

describe('affected units', () => {
  it('are grouped by where they are, shipped ones first', () => {
    const groups = groupsOf([unit('a', 'in_stock'), unit('b', 'shipped'), unit('c', 'in_stock'), unit('d', 'none')])
    expect(groups.map(({ place, units }) => [place, units.length])).toEqual([
      ['shipped', 1],
      ['in_stock', 2],
      ['none', 1],
    ])
  })

  it('know in what they are, and who has them', () => {
    expect(isInside(unit('a', 'in_stock'))).toBe(false)
    expect(isInside(unit('a', 'in_stock', { root_serial_key: 'x' }))).toBe(true)
    const references = { partner_name: 'Alpina', sales_doc: 'SO-1' }
    const movement = {
      movement_key: 'm',
      type: 'shipment',
      end: 't',
      position_from_key: 'a',
      position_to_key: 'b',
      references,
    }
    const location = { status: 'shipped', position_key: null, position_code: null, last_movement: movement } as const
    const shipped = unit('a', 'shipped', { location: location as RecalledUnit['location'] })
    expect(partnerOf(shipped)).toBe('Alpina · SO-1')
    expect(sinceOf(shipped)).toBe('t')
    expect(partnerOf(unit('a', 'wip'))).toBeNull()
  })

  it('on loan are with a partner, at a position, and shipped ones are not', () => {
    const moved = (type: string, code: string | null, partner: string | null) => {
      const references = { partner_name: partner }
      const location = {
        status: 'shipped',
        position_key: 'l',
        position_code: code,
        last_movement: { type, references },
      }
      return unit('a', 'shipped', { location: location as unknown as RecalledUnit['location'] })
    }
    const t = ((key: string, values: object) => `${key} ${Object.values(values).join(' ')}`) as unknown as Text
    const lent = moved('transfer', 'LOAN-1', 'Alpina')
    expect(awayAt(lent)).toEqual({ partner: 'Alpina', code: 'LOAN-1' })
    expect(detailOf(t, lent)).toBe('trace.recall.with Alpina LOAN-1')
    expect(awayAt(moved('shipment', 'LOAN-1', 'Alpina'))).toBeNull()
    expect(detailOf(t, moved('shipment', 'LOAN-1', 'Alpina'))).toBe('Alpina')
    expect(detailOf(t, moved('transfer', 'LOAN-1', null))).toBe('LOAN-1')
    expect(detailOf(t, moved('shipment', null, 'Alpina'))).toBe('Alpina')
    expect(customersOf([moved('shipment', null, null), lent, moved('shipment', null, 'Bergrad'), lent])).toEqual([
      { name: 'Alpina', count: 2 },
      { name: 'Bergrad', count: 1 },
      { name: null, count: 1 },
    ])
  })

  it('name their suspects if there are not too many', () => {
    expect(suspectsIn([unit('a', 'wip'), unit('b', 'wip', { via: ['a', 'c'] })], 5)).toEqual(['a', 'c'])
    expect(suspectsIn([unit('a', 'wip'), unit('b', 'wip')], 1)).toEqual([])
  })
})

describe('the count of a recall', () => {
  it('does not take scrapped units for affected ones', () => {
    const units = [unit('a', 'shipped'), unit('b', 'scrapped'), unit('c', 'in_stock', { state: 'scrapped' })]
    expect(countsOf(units)).toEqual({ affected: 1, scrapped: 2 })
    expect(groupsOf(units).map(({ place }) => place)).toEqual(['shipped', 'scrapped'])
  })
})

describe('the recall list as a file', () => {
  beforeAll(loadAreaTexts)
  const t = ((key, ...[values]) => fill('en', key, values as Record<string, string>)) as Text
  const formats = { dateTime: (at: string) => `local ${at}` } as Formats
  const offset = offsetOf('2026-11-17T10:00:00Z')
  const codes = new Map([
    ['a', { code: 'PM4-1' }],
    ['c', { code: null, product: 'PM-4' }],
  ])

  it('names units and suspects by their codes, in words and local times', () => {
    const one = unit('x', 'in_stock', { via: ['a', 'c'], via_count: 102, released: '2026-11-17T10:00:00Z' })
    const [heads, row] = toCsv(fileColumns(t, formats, codes), [one])
      .slice(1)
      .trim()
      .split('\r\n')
    expect(heads).toMatch(/^Serial,Product,.*,Where it is now,.*,Number of suspects,Suspects,Key$/)
    expect(row).toBe(
      `X,P,,Yes,In stock,,,,local 2026-11-17T10:00:00Z (${offset}),,,0,102,"PM4-1; PM-4 without a code and 100 more",x`,
    )
  })

  it('names units without a code by product and key', () => {
    const [, row] = toCsv(fileColumns(t, formats, codes), [unit('x', 'wip', { serial_code: null })])
      .slice(1)
      .trim()
      .split('\r\n')
    expect(row).toMatch(/^P without a code,P,.*,x$/)
  })

  it('says of a unit what became of it, once', () => {
    const released = { state: 'released', released: '2026-11-17T10:00:00Z' } as const
    const [, shipped, scrapped] = toCsv(fileColumns(t, formats, null), [
      unit('x', 'shipped', released),
      unit('y', 'in_stock', { state: 'scrapped', root_serial_key: 'z', root_serial_code: 'Z' }),
    ]).split('\r\n')
    expect(shipped).toBe(`X,P,,Yes,Shipped,,,,local 2026-11-17T10:00:00Z (${offset}),,,0,1,x`)
    expect(scrapped).toBe('Y,P,,No,Scrapped,Z,,,,,,0,1,y')
  })

  it('keeps to the number of suspects where codes may not be read', () => {
    const heads = fileColumns(t, formats, null).map(({ id }) => id)
    expect(heads).toContain('suspects')
    expect(heads).not.toContain('which')
  })

  it('asks for each suspect once', () => {
    expect(suspectsOf([unit('a', 'wip'), unit('b', 'wip', { via: ['a', 'c'] })])).toEqual(['a', 'c'])
  })
})
