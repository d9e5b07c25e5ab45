import { describe, expect, it } from 'vitest'
import { event } from './event.fixture'
import { happeningsOf, marksOf, unitsIn } from './happenings'
import type { Movement } from './place'
import type { WordsContext } from './words'

const movement = { type: 'production', position_to_code: 'BUFFER' } as Movement
const context: WordsContext = {
  serialKey: 'me',
  phase: (key) => (key === 'p1' ? 'Assembly' : undefined),
  movement: (key) => (key === 'm1' ? movement : undefined),
  issue: (key) => (key === 'i1' ? 'Leak' : undefined),
}
const T1 = '2026-10-20T09:45:00.000Z'
const T2 = '2026-10-23T10:00:00.000Z'
const together = { event_group: 'g', phase_key: 'p1' }

describe('what happened together', () => {
  const done = [
    event('BATCH_COMPLETED', T1, {}, together),
    event('SERIAL_UPDATED', T1, { serial_data: [{ form_field_key: 'f', value: 5.24 }] }, together),
    event('SERIAL_LINKED', T1, { child_serial_key: 'c1', parent_serial_key: 'me' }, together),
    event('SERIAL_LINKED', T1, { child_serial_key: 'c2', parent_serial_key: 'me' }, together),
    event('MOVEMENT_COMPLETED', T1, { movement_key: 'm1' }, { ...together, movement_key: 'm1' }),
    event('WIP_DECLARED', T1, {}, together),
  ]

  it('is one happening, headed by what matters most', () => {
    const [one, ...rest] = happeningsOf(done, context)
    expect(rest).toEqual([])
    expect(one?.headline).toMatchObject({ key: 'serial.event.completed', slots: { phase: { text: 'Assembly' } } })
    expect(one?.further.map(({ key }) => key)).toEqual([
      'serial.event.partsIn',
      'serial.event.values',
      'serial.event.putAt',
    ])
    expect(one?.further[0]?.slots.parts).toEqual({ units: ['c1', 'c2'] })
  })

  it('is headed by the release or the scrap, if there is one', () => {
    const released = [...done, event('SERIAL_RELEASED', T1, {}, together), event('BATCH_RELEASED', T1, {}, together)]
    expect(happeningsOf(released, context)[0]?.headline.key).toBe('serial.event.released')
    const scrapped = [...released, event('SERIAL_SCRAPPED', T1, { serial_keys: ['me'], reason: 'bent' }, together)]
    expect(happeningsOf(scrapped, context)[0]?.headline).toMatchObject({ key: 'serial.event.scrapped', note: 'bent' })
  })

  it('tells a replacement once', () => {
    const repair = [
      event(
        'SERIAL_LINKED',
        T2,
        { child_serial_key: 'new', parent_serial_key: 'me', replaces_serial_key: 'old', reason: 'burnt' },
        { event_group: 'r' },
      ),
      event('SERIAL_UNLINKED', T2, { child_serial_key: 'old', parent_serial_key: 'me' }, { event_group: 'r' }),
    ]
    const [one] = happeningsOf(repair, context)
    expect(one?.headline).toMatchObject({ key: 'serial.event.partReplaced', note: 'burnt' })
    expect(one?.further).toEqual([])
    expect([...unitsIn(one ? [one] : [])]).toEqual(['new', 'old'])
  })

  it('says quiet things only when there is nothing else', () => {
    expect(happeningsOf([event('WIP_BOOKED', T1)], context)[0]?.headline.key).toBe('serial.event.booked')
  })
})

describe('what an event says', () => {
  const headline = (...events: ReturnType<typeof event>[]) => happeningsOf(events, context)[0]?.headline

  it('depends on who is who', () => {
    const link = { child_serial_key: 'me', parent_serial_key: 'top' }
    expect(headline(event('SERIAL_LINKED', T1, link))?.key).toBe('serial.event.builtInto')
    expect(headline(event('SERIAL_UNLINKED', T1, link))?.key).toBe('serial.event.takenOut')
    const swap = { child_serial_key: 'new', parent_serial_key: 'top', replaces_serial_key: 'me' }
    expect(headline(event('SERIAL_LINKED', T1, swap))?.key).toBe('serial.event.replacedBy')
  })

  it('tells where goods went', () => {
    expect(headline(event('MOVEMENT_COMPLETED', T1, { movement_key: 'm1' }))?.slots.to).toEqual({ text: 'BUFFER' })
    expect(headline(event('MOVEMENT_COMPLETED', T1, { movement_key: 'gone' }))?.key).toBe('serial.event.moved')
  })

  it('names issues by what is known of them', () => {
    expect(headline(event('ISSUE_CLOSED', T1, {}, { issue_key: 'i1' }))?.note).toBe('Leak')
  })

  it('tells new codes from changed ones', () => {
    expect(headline(event('SERIAL_UPDATED', T1, { serial_code: 'A' }))?.key).toBe('serial.event.coded')
    const renamed = event('SERIAL_UPDATED', T1, { serial_code: 'B', previous_code: 'A' })
    expect(headline(renamed)?.slots).toEqual({ before: { text: 'A' }, code: { text: 'B' } })
  })
})

describe('marks', () => {
  it('are one for each moment, in order, with what matters most', () => {
    const happenings = happeningsOf(
      [event('SERIAL_RELEASED', T2), event('MESSAGE_POSTED', T2, { content: 'x' }), event('SERIAL_CREATED', T1)],
      context,
    )
    const inside = Date.parse('2026-10-21T00:00:00Z')
    const marks = marksOf(happenings, [inside, Date.parse(T1)])
    expect(marks.map(({ headline }) => headline?.key)).toEqual([
      'serial.event.registered',
      undefined,
      'serial.event.released',
    ])
  })
})
