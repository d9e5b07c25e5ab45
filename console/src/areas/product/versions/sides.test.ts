import { describe, expect, it } from 'vitest'
import { sidesOf, spanOf } from './sides'

const versions = [3, 2, 1].map((version) => ({ version, created: `2026-0${version}-01T00:00:00Z` }))

describe('sidesOf', () => {
  it('takes the newest and the one before', () => {
    expect(sidesOf(versions, {})).toEqual({ from: 2, to: 3 })
    expect(sidesOf(versions, { to: '2' })).toEqual({ from: 1, to: 2 })
    expect(sidesOf(versions, { to: '1' })).toEqual({ from: 3, to: 1 })
  })

  it('takes what the address says, if it exists', () => {
    expect(sidesOf(versions, { from: '1', to: '3' })).toEqual({ from: 1, to: 3 })
    expect(sidesOf(versions, { from: '9' })).toEqual({ from: 2, to: 3 })
  })

  it('needs two', () => {
    expect(sidesOf(versions.slice(0, 1), {})).toBeNull()
    expect(sidesOf([], {})).toBeNull()
  })
})

describe('spanOf', () => {
  it('begins with the earlier one, whichever side it is on', () => {
    expect(spanOf(versions, { from: 3, to: 1 })).toEqual(['2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z'])
  })
})
