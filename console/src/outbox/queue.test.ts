import { expect, it } from 'vitest'
import { nextOrder, type OutboxEntry, ownersOf } from './queue'

const entry = (user_key: string, user_name: string, order = 0): OutboxEntry => ({
  key: `${user_key} ${order}`,
  user_key,
  user_name,
  label: '',
  request: { method: 'POST', path: '/event' },
  order,
  queuedAt: 0,
  sentAt: null,
  refusal: null,
})

it('tells how many entries of whom there are, by the name that was noted last', () => {
  const entries = [entry('mia', ''), entry('ben', ''), entry('mia', 'Mia Rossi'), entry('mia', '')]
  expect(ownersOf(entries)).toEqual([
    { user_key: 'mia', name: 'Mia Rossi', count: 3 },
    { user_key: 'ben', name: '', count: 1 },
  ])
})

it('gives the place behind all others', () => {
  expect(nextOrder([])).toBe(1)
  expect(nextOrder([entry('mia', '', 7), entry('mia', '', 3)])).toBe(8)
})
