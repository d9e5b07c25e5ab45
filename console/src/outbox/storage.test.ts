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

const entry = (key: string, queuedAt: number): OutboxEntry => ({
  key,
  user_key: 'mia',
  label: key,
  request: { method: 'POST', path: '/event' },
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
