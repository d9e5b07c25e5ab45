import { describe, expect, it } from 'vitest'
import { wayTo } from './way'

describe('wayTo', () => {
  it('leads to the position, which stands beside it', () => {
    const path = ['H1', 'R2', 'R2-1'].map((code) => ({ position_key: code.toLowerCase(), position_code: code }))
    expect(wayTo({ path, position_key: 'r2-1' })).toBe('H1 › R2')
    expect(wayTo({ path: path.slice(0, 1), position_key: 'h1' })).toBe('')
  })
})
