import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { loadAreaTexts } from '@/i18n/text'
import { job } from './logic/samples'
import type { Job } from './model'
import { configQuery, queueQuery, unassignedQuery } from './queries'
import { type Take, useTake } from './take'

/** The free jobs that the service has, and how often it was asked for them. */
const service = vi.hoisted(() => ({ free: [] as Job[], units: [] as { _key: string; wo_key: string }[], asked: 0 }))
const went = vi.hoisted(() => [] as string[])

vi.mock('@/api', async (original) => {
  const answer = (data: unknown) => Promise.resolve({ data, response: new Response() })
  const orders = () => service.free.map(({ wo_key, wo_code }) => ({ _key: wo_key, wo_code, status: 'open', jobs: [] }))
  return {
    ...(await original<typeof import('@/api')>()),
    api: {
      GET: async (path: string) => {
        if (path === '/queue/operator/{operator_key}') return answer({ detail: { job_data: [] } })
        if (path === '/work-order') return answer({ detail: orders() })
        if (path === '/wip-serial') return answer(service.units.map(({ _key }) => ({ serial_key: _key })))
        service.asked += 1
        return answer({ detail: { unassigned_jobs: [...service.free] } })
      },
    },
  }
})
vi.mock('@/clock', () => ({ timed: (ask: () => unknown) => ask() }))
vi.mock('@/session', async (original) => ({
  ...(await original<typeof import('@/session')>()),
  useSession: () => ({ user_key: 'anna' }),
}))
vi.mock('@/ui/Go', () => ({ useGo: () => (to: string) => went.push(to) }))
vi.mock('./service', () => ({ unitsWithCode: async () => service.units }))

function Page({ takes }: { takes: Take[] }) {
  takes.push(useTake())
  return null
}

/** A page that read its lists when there was nothing to do. */
function opened(): Take {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: 30_000 } } })
  client.setQueryData(queueQuery('anna').queryKey, [])
  client.setQueryData(unassignedQuery('anna').queryKey, [])
  client.setQueryData(configQuery.queryKey, {} as never)
  const takes: Take[] = []
  renderToStaticMarkup(createElement(QueryClientProvider, { client }, createElement(Page, { takes })))
  return takes[0] as Take
}

const plain = (code: string) => ({ kind: 'plain', raw: code, code }) as const
const open = () => job({ _key: 'n', wo_key: 'w', wo_code: 'WO-9', stage: 'created', assigned_to: null })

beforeEach(async () => {
  await loadAreaTexts()
  Object.assign(service, { free: [], units: [], asked: 0 })
  went.length = 0
})

describe('a scan', () => {
  it('takes an order that is newer than the lists of the page', async () => {
    const take = opened()
    service.free = [open()]
    expect(await take(plain('wo-9'))).toMatchObject({ ok: true })
    expect(went).toEqual(['/panel/job/n'])
  })

  it('takes the job of a unit whose order is newer than the lists', async () => {
    const take = opened()
    service.free = [open()]
    service.units = [{ _key: 'u', wo_key: 'w' }]
    expect(await take(plain('UNIT-1'))).toMatchObject({ ok: true })
    expect(went).toEqual(['/panel/job/n?unit=u'])
  })

  it('judges each of several by what the service has, and asks for nothing where nothing has the code', async () => {
    const take = opened()
    expect(await take(plain('WO-8'))).toBeUndefined()
    expect(service.asked).toBe(0)
    service.free = [open()]
    const answers = await Promise.all([take(plain('WO-9')), take(plain('WO-9'))])
    expect(answers.map((answer) => answer?.ok)).toEqual([true, true])
  })
})
