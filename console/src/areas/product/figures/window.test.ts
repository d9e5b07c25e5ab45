import { describe, expect, it } from 'vitest'
import { choices, searchOf, WINDOWS, windowName, windowOf } from './window'

describe('windows of figures', () => {
  it('stand in the address and come back', () => {
    for (const window of WINDOWS) expect(windowOf(searchOf(window))).toEqual({ size: undefined, ...window })
    expect(windowOf(searchOf(undefined))).toBeUndefined()
  })

  it('have names', () => {
    expect(windowName(undefined)).toBe('own')
    expect(windowName({ type: 'time', size: 30 })).toBe('time-30')
    expect(windowName({ type: 'count' })).toBe('count-all')
  })

  it('offer what a link asks for', () => {
    expect(choices(undefined)).toHaveLength(WINDOWS.length + 1)
    expect(choices({ type: 'time', size: 14 }).at(-1)).toEqual({ type: 'time', size: 14 })
  })
})
