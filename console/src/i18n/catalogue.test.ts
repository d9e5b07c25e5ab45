import { describe, expect, it as test } from 'vitest'
import en from './en'
import it from './it'
import type { Message } from './messages'

/** Texts that are rightly the same in both languages: `area.key`. */
const SAME: ReadonlySet<string> = new Set(['ui.no', 'ui.tree.group'])

/** Words that both languages write alike, so that a text made of them alone is translated. */
const SHARED = /^[\W\d_]*$/

function flat(catalogue: Readonly<Record<string, Readonly<Record<string, Message>>>>) {
  const all = new Map<string, Message>()
  for (const [area, messages] of Object.entries(catalogue)) {
    for (const [key, message] of Object.entries(messages)) all.set(`${area}.${key}`, message)
  }
  return all
}

function texts(message: Message | undefined): string[] {
  if (message === undefined) return []
  return typeof message === 'string' ? [message] : Object.values(message)
}

function placeholders(text: string): string[] {
  return [...new Set(text.match(/\{\w+\}/g) ?? [])].sort()
}

const english = flat(en)
const italian = flat(it)

describe('the message files', () => {
  test('have the same keys in both languages', () => {
    expect([...italian.keys()].sort()).toEqual([...english.keys()].sort())
  })

  test('have no empty text', () => {
    for (const [key, message] of [...english, ...italian]) {
      for (const text of texts(message)) expect(text.trim(), key).not.toBe('')
    }
  })

  test('have the same placeholders in both languages', () => {
    for (const [key, message] of english) {
      const names = (of: Message | undefined) => placeholders(texts(of).join(' '))
      expect(names(italian.get(key)), key).toEqual(names(message))
    }
  })

  test('name no placeholder that is not closed', () => {
    for (const [key, message] of [...english, ...italian]) {
      for (const text of texts(message)) {
        expect(text.replaceAll(/\{\w+\}/g, ''), key).not.toMatch(/[{}]/)
      }
    }
  })

  test('are translated', () => {
    const equal = [...english]
      .filter(([key, message]) => {
        const there = texts(italian.get(key)).join('|')
        return !SAME.has(key) && !SHARED.test(there) && there === texts(message).join('|')
      })
      .map(([key]) => key)
    expect(equal, 'translate these, or name them in SAME').toEqual([])
  })
})
