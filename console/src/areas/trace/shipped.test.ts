import { describe, expect, it, vi } from 'vitest'
import { withShipped } from './shipped'

const unit = (key: string, state: 'released' | 'in_stock') => ({ _key: key, state })
const { signal } = new AbortController()

describe('units that have left', () => {
  it('are asked for at once, of those that are released only', async () => {
    const ask = vi.fn(async () => new Set(['a']))
    const units = await withShipped([unit('a', 'released'), unit('b', 'in_stock'), unit('c', 'released')], signal, ask)
    expect(ask.mock.calls).toEqual([[['a', 'c'], signal]])
    expect(units).toEqual([{ ...unit('a', 'released'), shipped: true }, unit('b', 'in_stock'), unit('c', 'released')])
  })

  it('are not asked for where nothing is released', async () => {
    const ask = vi.fn(async () => new Set<string>())
    await withShipped([unit('b', 'in_stock')], signal, ask)
    expect(ask).not.toHaveBeenCalled()
  })

  it('stay released where the service does not tell, and a request that was given up stays so', async () => {
    const ask = () => Promise.reject(new Error('down'))
    expect(await withShipped([unit('a', 'released')], signal, ask)).toEqual([unit('a', 'released')])
    await expect(withShipped([unit('a', 'released')], AbortSignal.abort(), ask)).rejects.toThrow()
  })
})
