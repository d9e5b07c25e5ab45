import { describe, expect, it } from 'vitest'
import { isShipped, type Movement, placeAt } from './place'

const on = (day: number) => `2026-10-${String(day).padStart(2, '0')}T12:00:00.000Z`
const move = (key: string, day: number, to: string, more: Partial<Movement> = {}): Movement => ({
  _key: key,
  type: 'transfer',
  status: 'completed',
  end: on(day),
  serial_key: 'me',
  qt_confirmed: 1,
  position_from_key: 'x',
  position_from_code: 'X',
  position_to_key: to,
  position_to_code: to.toUpperCase(),
  references: null,
  ...more,
})
const outside = new Set(['OUT', 'loan'])
const at = (day: number, moves: Movement[]) => placeAt(moves, 'me', outside, Date.parse(on(day)))

describe('placeAt', () => {
  const moves = [
    move('m3', 9, 'NULL', { type: 'consumption' }),
    move('m1', 1, 'a-01', { type: 'production' }),
    move('m2', 5, 'b-02'),
    move('other', 6, 'c-03', { serial_key: 'you' }),
    move('planned', 6, 'c-03', { status: 'planned' }),
  ]

  it('is where the last movement has left it', () => {
    expect(at(0 + 1, moves)).toMatchObject({ kind: 'inside', code: 'A-01' })
    expect(at(6, moves)).toMatchObject({ kind: 'inside', code: 'B-02', since: on(5) })
    expect(at(10, moves)).toBeNull()
  })

  it('is nowhere before the first', () => {
    expect(at(1, [move('m', 2, 'a')])).toBeNull()
  })

  it('tells shipped from lent', () => {
    const references = { partner_name: 'Bergrad' } as NonNullable<Movement['references']>
    expect(at(3, [move('m', 2, 'OUT', { type: 'shipment', references })])).toMatchObject({
      kind: 'shipped',
      partner: 'Bergrad',
    })
    expect(at(3, [move('m', 2, 'loan')])).toMatchObject({ kind: 'outside', code: 'LOAN' })
  })

  it('tells what has left from what is only released', () => {
    const place = (to: string, more: Partial<Movement> = {}) => at(3, [move('m', 2, to, more)])
    expect(isShipped('released', place('OUT', { type: 'shipment' }))).toBe(true)
    expect(isShipped('released', place('loan'))).toBe(true)
    expect(isShipped('released', place('a-01'))).toBe(false)
    expect(isShipped('released', null)).toBe(false)
    expect(isShipped('used', place('OUT', { type: 'shipment' }))).toBe(false)
    expect(isShipped('scrapped', place('OUT', { type: 'shipment' }))).toBe(false)
  })

  it('is nowhere after a correction to nothing', () => {
    expect(at(3, [move('m', 2, 'a-01', { type: 'adjustment', qt_confirmed: -1 })])).toBeNull()
  })
})
