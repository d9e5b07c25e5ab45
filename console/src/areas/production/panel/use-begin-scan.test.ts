import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { loadAreaTexts } from '@/i18n/text'
import type { ScanHandler } from '@/scan'
import { jobDetail, unit } from './logic/samples'
import type { JobDetail } from './model'
import { productQuery, waitingQuery } from './queries'
import { type Begin, useBegin } from './use-begin'
import { useBeginScan } from './use-begin-scan'
import type { Flow } from './use-flow'
import type { Work } from './use-work'

const page = vi.hoisted(() => ({ scan: undefined as ScanHandler | undefined, delays: [] as number[], free: true }))

vi.mock('@/scan', async (original) => ({
  ...(await original<typeof import('@/scan')>()),
  useScan: (handler: ScanHandler) => {
    page.scan = handler
  },
}))
vi.mock('./service', () => ({
  isFree: async () => {
    await new Promise((done) => setTimeout(done, page.delays.shift() ?? 0))
    return page.free
  },
}))
vi.mock('./take', () => ({ useTake: () => async () => undefined }))

function Page({ job, busy, seen }: { job: JobDetail; busy: boolean; seen: Begin[] }) {
  const order = { phase_sequence: [job.phase_key], jobs: [job] } as unknown as Work['order']
  const work = { job, order, busy } as Work
  const begin = useBegin(work, undefined)
  seen.push(begin)
  useBeginScan({ begin, work } as Flow)
  return null
}

/** A page that is not drawn anew: what it shows stays as old as it can be. */
function opened(job: JobDetail, busy = false): Begin {
  const client = new QueryClient()
  client.setQueryData(waitingQuery('j', true).queryKey, [unit('u1'), unit('u2')])
  client.setQueryData(productQuery('lamp').queryKey, { counter_key: null } as never)
  const seen: Begin[] = []
  renderToStaticMarkup(createElement(QueryClientProvider, { client }, createElement(Page, { job, busy, seen })))
  return seen[0] as Begin
}

async function scanned(...codes: string[]): Promise<boolean[]> {
  const answers = await Promise.all(codes.map((code) => page.scan?.({ kind: 'plain', raw: code, code })))
  return answers.map((answer) => answer?.ok === true)
}

const first = { active_batch_key: null, stage: 'created', first_phase: true, qt_planned: 3 } as const

beforeEach(async () => {
  await loadAreaTexts()
  page.delays = []
  page.free = true
})

describe('scans before a batch begins', () => {
  it('keep every label, whichever answer comes first', async () => {
    const begin = opened(jobDetail(first))
    page.delays = [30, 20, 10]
    expect(await scanned('LAB-01', 'LAB-02', 'LAB-03')).toEqual([true, true, true])
    expect(begin.names()).toEqual(['LAB-01', 'LAB-02', 'LAB-03'].map((code) => ({ serial_code: code })))
  })

  it('judge each label by those before it', async () => {
    const begin = opened(jobDetail({ ...first, qt_planned: 2 }))
    expect(await scanned('LAB-01', 'LAB-01', 'LAB-02', 'LAB-03')).toEqual([true, false, true, false])
    expect(begin.taken()).toEqual(['LAB-01', 'LAB-02'])
  })

  it('take no label for a batch that is beginning already', async () => {
    const begin = opened(jobDetail(first), true)
    expect(await scanned('LAB-01')).toEqual([false])
    expect(begin.taken()).toEqual([])
  })

  it('choose every unit that waits', async () => {
    const begin = opened(jobDetail({ ...first, first_phase: false }))
    expect(await scanned('U1', 'U1', 'U2', 'U9')).toEqual([true, false, true, false])
    expect(begin.names()).toEqual([{ serial_key: 'u1' }, { serial_key: 'u2' }])
  })
})
