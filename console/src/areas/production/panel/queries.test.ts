import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { reasonsQuery } from './queries'

const payloads = [{ scrap_reason: 'bent; cracked' }, { reason: 'fell' }, { scrap_reason: '' }, {}]

vi.mock('@/api', async (original) => ({
  ...(await original<typeof import('@/api')>()),
  api: { GET: async () => ({ data: payloads.map((payload) => ({ payload })), response: new Response() }) },
}))

describe('reasons that were given before', () => {
  it('come one by one, also where a batch was scrapped for several', async () => {
    expect(await new QueryClient().fetchQuery(reasonsQuery('lamp'))).toEqual(['bent', 'cracked', 'fell'])
  })
})
