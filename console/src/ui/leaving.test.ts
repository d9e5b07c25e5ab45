import { describe, expect, it, vi } from 'vitest'
import { isTypedSomewhere, type Leaving, type Typed, TypedGuard, takesAway } from './leaving'

function way(from: string, to: string, action: Leaving['action'] = 'PUSH'): Leaving {
  return { currentLocation: { pathname: from }, nextLocation: { pathname: to }, action }
}

describe('ways to another address', () => {
  it('take a dialog away if the page changes, or by the buttons of the browser', () => {
    expect(takesAway(way('/plan', '/serial/1'))).toBe(true)
    expect(takesAway(way('/plan', '/plan', 'BACK'))).toBe(true)
    expect(takesAway(way('/order/1', '/plan', 'GO'))).toBe(true)
  })

  it('leave it if only the rest of the address changes', () => {
    expect(takesAway(way('/plan', '/plan', 'REPLACE'))).toBe(false)
    expect(takesAway(way('/plan', '/plan'))).toBe(false)
  })

  it('are open to somebody who was signed out', () => {
    expect(takesAway(way('/plan', '/sign-in', 'REPLACE'))).toBe(false)
  })
})

describe('what was typed', () => {
  const away = way('/order/1', '/serial/1')

  it('goes at the second try, and is asked for again after more words', () => {
    const seen: Typed[] = []
    const guard = new TypedGuard((typed) => seen.push(typed))
    expect(guard.staysFor(away)).toBe(false)
    guard.type()
    expect(guard.holds).toBe(true)
    expect(guard.staysFor(away)).toBe(true)
    expect(guard.holds).toBe(true)
    guard.type()
    expect(guard.stays()).toBe(true)
    expect(guard.staysFor(away)).toBe(false)
    expect(seen).toEqual(['words', 'asked', 'words', 'asked'])
  })

  it('may be left at once when it is sent, but is kept if the form stays', () => {
    vi.useFakeTimers()
    const guard = new TypedGuard(() => {})
    guard.type()
    guard.send()
    expect(guard.holds).toBe(false)
    expect(guard.staysFor(away)).toBe(false)
    vi.runAllTimers()
    expect(guard.holds).toBe(true)
    expect(guard.staysFor(away)).toBe(true)
    vi.useRealTimers()
  })

  it('is forgotten with its dialog', () => {
    const guard = new TypedGuard(() => {})
    guard.type()
    guard.forget()
    expect(guard.staysFor(away)).toBe(false)
  })

  it('is known to whoever would open another page', () => {
    const guard = new TypedGuard(() => undefined)
    const leave = guard.stand()
    expect(isTypedSomewhere()).toBe(false)
    guard.type()
    expect(isTypedSomewhere()).toBe(true)
    guard.forget()
    expect(isTypedSomewhere()).toBe(false)
    guard.type()
    leave()
    expect(isTypedSomewhere()).toBe(false)
  })
})
