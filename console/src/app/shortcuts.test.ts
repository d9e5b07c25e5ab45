import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { addShortcut, isPressed, LoneKeys, listenForShortcuts } from './shortcuts'

const press = (key: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey', boolean>> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
})

it('knows its keys', () => {
  expect(isPressed('?', press('?'))).toBe(true)
  expect(isPressed('/', press('/', { ctrlKey: true }))).toBe(false)
  expect(isPressed('Ctrl K', press('k', { ctrlKey: true }))).toBe(true)
  expect(isPressed('Ctrl K', press('k', { metaKey: true }))).toBe(true)
  expect(isPressed('Ctrl K', press('k'))).toBe(false)
  expect(isPressed('Ctrl K', press('k', { ctrlKey: true, altKey: true }))).toBe(false)
})

describe('single keys', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('act when they stand alone', () => {
    const act = vi.fn()
    new LoneKeys().press(1000, act)
    vi.advanceTimersByTime(80)
    expect(act).toHaveBeenCalledOnce()
  })

  it('do not act inside what a scanner types', () => {
    const act = vi.fn()
    const keys = new LoneKeys()
    for (const [at, key] of [...'https://id/01?a'].entries())
      keys.press(1000 + at * 10, key === '/' || key === '?' ? act : null)
    vi.advanceTimersByTime(1000)
    expect(act).not.toHaveBeenCalled()
    // As slow as a scanner may be.
    keys.press(9000, act)
    keys.press(9075, null)
    vi.advanceTimersByTime(1000)
    expect(act).not.toHaveBeenCalled()
    const first = new LoneKeys()
    first.press(1000, act)
    first.press(1010, null)
    vi.advanceTimersByTime(1000)
    expect(act).not.toHaveBeenCalled()
  })
})

describe('keys of the page', () => {
  let covered: object | null
  let keydown: (event: object) => void
  let stop: (() => void)[]
  const act = vi.fn()

  beforeEach(() => {
    vi.useFakeTimers()
    covered = null
    act.mockClear()
    for (const name of ['HTMLElement', 'HTMLInputElement']) vi.stubGlobal(name, class {})
    vi.stubGlobal('document', {
      addEventListener: (_: string, listener: typeof keydown) => {
        keydown = listener
      },
      removeEventListener: () => undefined,
      querySelector: () => covered,
    })
    stop = [addShortcut({ keys: 'n', label: 'frame.home' }, act, true), listenForShortcuts()]
  })
  afterEach(() => {
    for (const one of stop) one()
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })

  const pressN = (timeStamp: number) => {
    keydown({ ...press('n'), timeStamp, isComposing: false, target: null })
    vi.advanceTimersByTime(1000)
  }

  it('act unless a dialog lies over it', () => {
    pressN(10_000)
    expect(act).toHaveBeenCalledOnce()
    covered = {}
    pressN(20_000)
    expect(act).toHaveBeenCalledOnce()
  })
})
