import { expect, it } from 'vitest'
import type { OutboxEntry } from './queue'
import { browserStorage } from './storage'

function fakeStorage(items: Record<string, string>): Storage {
  const methods = {
    getItem: (name: string) => items[name] ?? null,
    setItem: (name: string, value: string) => {
      items[name] = value
    },
    removeItem: (name: string) => {
      delete items[name]
    },
  }
  return new Proxy(items, {
    get: (target, name) => Reflect.get(methods, name) ?? Reflect.get(target, name),
  }) as unknown as Storage
}

const entry = (key: string, order: number, queuedAt = 0): OutboxEntry => ({
  key,
  user_key: 'mia',
  user_name: 'Mia Rossi',
  label: key,
  request: { method: 'POST', path: '/event' },
  order,
  queuedAt,
  sentAt: null,
  refusal: null,
})

it('gives entries back in their order, and leaves other items alone', () => {
  const items: Record<string, string> = { 'tracewright.locale': 'it', 'tracewright.outbox.broken': '{' }
  const storage = browserStorage(fakeStorage(items))
  storage.put(entry('b', 2))
  storage.put(entry('a', 1))
  expect(storage.all().map((one) => one.key)).toEqual(['a', 'b'])
  storage.remove('a')
  expect(storage.all().map((one) => one.key)).toEqual(['b'])
  expect(items['tracewright.locale']).toBe('it')
})

it('gives the digits of a body back as they were sent', () => {
  const storage = browserStorage(fakeStorage({}))
  const body = '{"length": 12345678901234567890.123456789}'
  storage.put({ ...entry('a', 1), request: { method: 'POST', path: '/event', body } })
  expect(storage.all()[0]?.request.body).toBe(body)
})

it('goes by the places of entries, whatever the clock of the device said', () => {
  const storage = browserStorage(fakeStorage({}))
  storage.put(entry('later', 2, 1_000))
  storage.put(entry('earlier', 1, 9_000))
  expect(storage.all().map((one) => one.key)).toEqual(['earlier', 'later'])
})

it('reads entries of older versions, which come first, by their time', () => {
  const items: Record<string, string> = {}
  for (const [key, queuedAt] of Object.entries({ b: 2, a: 1 })) {
    const { order: _, user_name: __, ...old } = entry(key, 0, queuedAt)
    items[`tracewright.outbox.${key}`] = JSON.stringify(old)
  }
  const storage = browserStorage(fakeStorage(items))
  storage.put(entry('new', 1, 0))
  expect(storage.all()).toMatchObject([{ key: 'a', order: 0, user_name: '' }, { key: 'b' }, { key: 'new' }])
})

it.each([
  ['no request', { request: null }],
  ['another method', { request: { method: 'GET', path: '/event' } }],
  ['no path', { request: { method: 'POST', path: 7 } }],
  ['a body that is no JSON', { request: { method: 'POST', path: '/event', body: '{' } }],
  ['a body that is no text', { request: { method: 'POST', path: '/event', body: {} } }],
  ['a group that is no text', { request: { method: 'POST', path: '/event', group: 1 } }],
  ['no label', { label: undefined }],
  ['no moment', { queuedAt: 1e300 }],
  ['a text where it was sent', { sentAt: 'yesterday' }],
  ['a refusal without words', { refusal: { status: 422 } }],
  ['a place that is no number', { order: 'first' }],
  ['the key of another', { key: 'b' }],
])('leaves out what has %s, and does not delete it', (_, change) => {
  const text = JSON.stringify({ ...entry('a', 1), ...change })
  const items = { 'tracewright.outbox.a': text, 'tracewright.outbox.c': JSON.stringify(entry('c', 2)) }
  expect(
    browserStorage(fakeStorage(items))
      .all()
      .map((one) => one.key),
  ).toEqual(['c'])
  expect(items['tracewright.outbox.a']).toBe(text)
})
