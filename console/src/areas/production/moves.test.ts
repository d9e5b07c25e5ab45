import { MutationObserver, QueryClient } from '@tanstack/react-query'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { settled } from '@/live/fake-clock'
import { order } from './fixtures'
import { moveOptions } from './mutations'
import { queueQuery } from './queries'

/** The queue of the service, and the moves that it has not answered. */
const service = vi.hoisted(() => ({ queue: [] as string[], asked: [] as (() => void)[] }))

vi.mock('@/api', async (original) => ({
  ...(await original<typeof import('@/api')>()),
  api: {
    PUT: (_path: string, { body }: { body: { work_orders: string[] } }) =>
      new Promise<void>((resolve) => {
        service.asked.push(() => {
          const rest = service.queue.filter((key) => !body.work_orders.includes(key))
          service.queue = [...body.work_orders, ...rest]
          resolve()
        })
      }),
  },
}))

beforeEach(() => {
  service.queue = ['a', 'b', 'c']
  service.asked = []
})

function plan() {
  const client = new QueryClient({ defaultOptions: { mutations: { networkMode: 'always' } } })
  const orders = service.queue.map((_key) => order({ _key }))
  client.setQueryData(queueQuery.queryKey, orders)
  const read = vi.spyOn(client, 'invalidateQueries')
  const shown = () => client.getQueryData(queueQuery.queryKey)?.map(({ _key }) => _key)
  const move = (after: string[]) => {
    const observer = new MutationObserver(client, moveOptions(client, vi.fn()))
    return observer.mutate({ before: shown() ?? [], after })
  }
  return { move, read, shown }
}

describe('moves in the queue', () => {
  it('go out one after the other, and are read again after the last', async () => {
    const { move, read, shown } = plan()
    const first = move(['c', 'a', 'b'])
    await settled()
    const second = move(['b', 'c', 'a'])
    await settled()
    expect(shown()).toEqual(['b', 'c', 'a'])
    expect(service.asked).toHaveLength(1)
    service.asked[0]?.()
    await first
    await settled()
    expect(read).not.toHaveBeenCalled()
    expect(service.asked).toHaveLength(2)
    service.asked[1]?.()
    await second
    expect(service.queue).toEqual(['b', 'c', 'a'])
    expect(read).toHaveBeenCalledOnce()
  })
})
