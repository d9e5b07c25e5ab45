import { describe, expect, it } from 'vitest'
import type { Scope } from '@/session/machine'
import { missingScope, safeTarget, signInAddress, visible } from './guard'

const can = (scope: Scope) => scope === 'serial:read'

describe('the guard', () => {
  it('names the right that is missing', () => {
    expect(missingScope([{}, { scope: 'serial:read' }], can)).toBeNull()
    expect(missingScope([{}, { scope: 'trace:read' }], can)).toBe('trace:read')
  })

  it('shows only what may be opened', () => {
    const items = [
      { to: '/' },
      { to: '/serial', scope: 'serial:read' as const },
      { to: '/trace', scope: 'trace:read' as const },
    ]
    expect(visible(items, can).map((item) => item.to)).toEqual(['/', '/serial'])
  })
})

describe('the way back after signing in', () => {
  it('leads to pages of this console only', () => {
    expect(safeTarget('/serial/a?as_of=2026')).toBe('/serial/a?as_of=2026')
    for (const bad of [undefined, '', 'https://x', '//x', '/\\x', 'javascript:alert(1)', '/sign-in?to=/x']) {
      expect(safeTarget(bad), String(bad)).toBe('/')
    }
  })

  it('is in the address of the sign-in page', () => {
    expect(signInAddress('/')).toBe('/sign-in')
    expect(signInAddress('/serial/a?as_of=1')).toBe('/sign-in?to=%2Fserial%2Fa%3Fas_of%3D1')
  })
})
