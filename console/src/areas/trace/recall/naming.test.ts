import { describe, expect, it } from 'vitest'
import { namingOf } from './naming'
import type { Selection } from './selection'

/** The address bar. */
function address(begin: Selection) {
  const bar = { now: begin }
  const navigate = (search: (old: Selection) => Selection) => {
    bar.now = search(bar.now)
  }
  return { bar, navigate }
}

describe('naming suspects', () => {
  it('keeps both of two codes that were scanned before the page was drawn again', () => {
    const { bar, navigate } = address({ serial: ['a'], place: 'shipped', rows: 'all' })
    const first = namingOf('anna', navigate)
    const second = namingOf('anna', navigate)
    first.add(['b'])
    second.add(['c'])
    first.add(['b'])
    expect(bar.now).toEqual({ serial: ['a', 'b', 'c'], list: undefined, place: undefined, rows: 'all' })
    second.remove(['a'])
    expect(bar.now.serial).toEqual(['b', 'c'])
  })

  it('adds to long lists too', () => {
    const { bar, navigate } = address({})
    const naming = namingOf('anna', navigate)
    naming.add(Array.from({ length: 61 }, (_, at) => `k${at}`))
    expect(bar.now.list).toMatch(/^61-/)
    naming.add(['more'])
    expect(bar.now.list).toMatch(/^62-/)
  })
})
