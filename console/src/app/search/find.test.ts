import { describe, expect, it } from 'vitest'
import { type Found, markShipped, releasedIn } from './find'

const hit = (kind: Found['kind'], key: string, state?: Found['state']): Found => ({
  kind,
  key,
  code: key,
  name: null,
  state,
  details: [],
})

describe('hits that have left', () => {
  const groups = [
    {
      kind: 'serial' as const,
      total: 2,
      hits: [
        hit('serial', 'a', { of: 'serial', state: 'released' }),
        hit('serial', 'b', { of: 'serial', state: 'in_stock' }),
      ],
    },
    { kind: 'product' as const, total: 1, hits: [hit('product', 'a')] },
  ]

  it('can only be released units', () => {
    expect(releasedIn(groups)).toEqual(['a'])
  })

  it('are marked as shipped, and nothing else that has the same key', () => {
    const [units, products] = markShipped(groups, new Set(['a']))
    expect(units?.hits.map(({ state }) => state)).toEqual([
      { of: 'place', state: 'shipped' },
      { of: 'serial', state: 'in_stock' },
    ])
    expect(products?.hits[0]?.state).toBeUndefined()
  })
})
