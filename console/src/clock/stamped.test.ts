import { describe, expect, it } from 'vitest'
import { stampedIn } from './stamped'

function storage() {
  const items = new Map<string, string>()
  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, text: string) => void items.set(name, text),
  }
}

describe('what was stamped', () => {
  it('is known after a reload and in other tabs', () => {
    const shared = storage()
    stampedIn(() => shared).set('j', 5)
    expect(stampedIn(() => shared).get('j')).toBe(5)
    expect(stampedIn(() => shared).get('k')).toBeUndefined()
  })
  it('is forgotten after a day', () => {
    const shared = storage()
    const stamped = stampedIn(() => shared)
    stamped.set('j', 5)
    stamped.set('k', 5 + 86_400_001)
    expect(stamped.get('j')).toBeUndefined()
  })
  it('is nothing where something else lies', () => {
    const shared = storage()
    shared.setItem('tracewright.stamped', '{"a":1}')
    expect(stampedIn(() => shared).get('a')).toBeUndefined()
  })
  it('lives with the page where nothing may be stored', () => {
    const stamped = stampedIn(() => {
      throw new Error('not allowed')
    })
    stamped.set('j', 5)
    expect(stamped.get('j')).toBe(5)
  })
})
