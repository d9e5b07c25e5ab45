import { describe, expect, it, vi } from 'vitest'
import { productByCode } from './queries'

const CODES = ['AX-PM-4', 'AY-PM-4', 'PM-4', 'PM-40', 'PM-4B']

/** Finds as the service does: parts of codes, or whole ones by a pattern, in the order of codes. */
vi.mock('@/api', async (original) => ({
  ...(await original<typeof import('@/api')>()),
  api: {
    GET: async (_path: string, { params }: { params: { query: { search_string: string; limit: number } } }) => {
      const { search_string: text, limit } = params.query
      const fits = (code: string) => (text.endsWith('*') ? code.startsWith(text.slice(0, -1)) : code.includes(text))
      const found = CODES.filter(fits).slice(0, limit)
      return { data: found.map((code) => ({ _key: code.toLowerCase(), code })) }
    },
  },
}))

describe('the product of a scanned code', () => {
  it('is found among others whose codes contain it', async () => {
    expect(await productByCode('PM-4')).toBe('pm-4')
  })
  it('is only the one that has just this code', async () => {
    expect(await productByCode('PM')).toBeUndefined()
  })
})
