import { describe, expect, it } from 'vitest'
import type { Schemas } from '@/api'
import { event } from './event.fixture'
import { type Field, factsAt, fieldsAt, stateOf } from './past'

const serial = { _key: 'me', code: 'B-2' } as Schemas['Serial']
const at = (day: number) => Date.parse(`2026-10-${String(day).padStart(2, '0')}T12:00:00Z`)
const on = (day: number) => new Date(at(day)).toISOString()

const events = [
  event('SERIAL_CREATED', on(1), { released: null, serials: [{ serial_key: 'me', code: null }] }),
  event('SERIAL_UPDATED', on(2), {
    serial_key: 'me',
    serial_code: 'b-1',
    serial_data: [{ form_field_key: 'f', custom_field_key: 'c', value: 5.2 }],
    previous: [{ form_field_key: 'f', custom_field_key: 'c', value: null }],
  }),
  event('SERIAL_RELEASED', on(3), { serial_keys: ['me'], released: on(3) }),
  event('SERIAL_SCRAPPED', on(5), { serial_keys: ['me'], reason: 'cracked' }),
  event('SERIAL_UPDATED', on(7), {
    serial_key: 'me',
    unscrap: true,
    serial_code: 'B-2',
    previous_code: 'B-1',
    serial_data: [{ form_field_key: 'f', custom_field_key: 'c', value: 5.4 }],
    previous: [{ form_field_key: 'f', custom_field_key: 'c', value: 5.2 }],
  }),
]

describe('factsAt', () => {
  it('follows code, release and scrap', () => {
    expect(factsAt(serial, events, at(1))).toEqual({
      code: null,
      released: null,
      scrapped: null,
      deleted: false,
      builtIn: false,
    })
    expect(factsAt(serial, events, at(2)).code).toBe('B-1')
    expect(factsAt(serial, events, at(4)).released).toBe(on(3))
    expect(factsAt(serial, events, at(6)).scrapped).toEqual({ at: on(5), reason: 'cracked' })
    expect(factsAt(serial, events, at(8))).toMatchObject({ code: 'B-2', scrapped: null })
  })

  it('releases received goods at once', () => {
    const received = [event('SERIAL_CREATED', on(1), { serials: [{ serial_key: 'me', code: 'B-2' }] })]
    expect(factsAt(serial, received, at(2))).toMatchObject({ code: 'B-2', released: on(1) })
  })

  it('is built in from its link to the end of it', () => {
    const link = { child_serial_key: 'me', parent_serial_key: 'top' }
    const links = [event('SERIAL_LINKED', on(2), link), event('SERIAL_UNLINKED', on(4), link)]
    expect([1, 2, 3, 4].map((day) => factsAt(serial, links, at(day)).builtIn)).toEqual([false, true, true, false])
    const own = [event('SERIAL_LINKED', on(2), { child_serial_key: 'part', parent_serial_key: 'me' })]
    expect(factsAt(serial, own, at(3)).builtIn).toBe(false)
  })

  it('leaves scrapped parts of others aside', () => {
    const other = [event('SERIAL_SCRAPPED', on(1), { serial_keys: ['you'], reason: 'x' })]
    expect(factsAt(serial, other, at(2)).scrapped).toBeNull()
  })
})

describe('stateOf', () => {
  const facts = { code: 'X', released: on(1), scrapped: null, deleted: false, builtIn: false }
  it('is the first that holds', () => {
    expect(stateOf({ ...facts, deleted: true, builtIn: true }, true)).toBe('deleted')
    expect(stateOf({ ...facts, scrapped: { at: on(1), reason: null } }, false)).toBe('scrapped')
    expect(stateOf({ ...facts, builtIn: true }, true)).toBe('used')
    expect(stateOf(facts, true)).toBe('in_stock')
    expect(stateOf(facts, false)).toBe('released')
    expect(stateOf({ ...facts, released: null }, false)).toBe('wip')
    expect(stateOf({ ...facts, released: null, code: null }, false)).toBe('uncoded')
  })
})

describe('fieldsAt', () => {
  const field = { form_field_key: 'f', custom_field_key: 'c', value: 5.4, last_updated: on(7) } as Field
  it('takes later changes back', () => {
    expect(fieldsAt([field], events, at(8))[0]?.value).toBe(5.4)
    expect(fieldsAt([field], events, at(6))[0]).toMatchObject({ value: 5.2, last_updated: on(2) })
    expect(fieldsAt([field], events, at(1))[0]).toMatchObject({ value: null, last_updated: null })
  })

  it('leaves values alone that never changed', () => {
    const other = { ...field, form_field_key: 'g', custom_field_key: 'd' }
    expect(fieldsAt([other], events, at(1))[0]).toBe(other)
  })
})
