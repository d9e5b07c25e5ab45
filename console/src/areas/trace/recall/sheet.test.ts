import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { formatDateTime, localeOf } from '@/i18n/formats'
import { loadAreaTexts } from '@/i18n/text'
import { suspectsOf } from './file'
import type { RecalledUnit } from './groups'
import { RecallHead } from './Head'
import { codesQuery, type Recall } from './queries'
import { RecallPaper } from './Sheet'
import type { SuspectsState } from './use-suspects'

vi.mock('@/session', async (original) => ({
  ...(await original<typeof import('@/session')>()),
  useSession: () => ({ can: () => true }),
}))

const client = new QueryClient()
const suspects = { keys: [], named: [], words: 'code S-*', missing: [] } as unknown as SuspectsState

/** Units with one suspect in each. */
function recallOf(count: number, answered: string): Recall {
  const units = Array.from({ length: count }, (_, at) => ({
    unit_type: 'serial',
    serial_key: `u${at}`,
    root_serial_key: `u${at}`,
    serial_code: `U-${at}`,
    batch_key: null,
    root_batch_key: null,
    location: { status: 'wip', position_code: null, last_movement: null },
    depth: 1,
    via_count: 1,
    via: [`s${at}`],
  })) as unknown as RecalledUnit[]
  return { units, body: { rows: 'roots' } as Recall['body'], answered }
}

function rendered(node: ReactNode): string {
  const queries = createElement(QueryClientProvider, { client }, node)
  return renderToStaticMarkup(createElement(MantineProvider, null, queries))
}

const head = (recall: Recall) => rendered(createElement(RecallHead, { recall, busy: false, onAgain: () => undefined }))
const tag = localeOf('en')
const yesterday = new Date(Date.now() - 86_400_000).toISOString()

beforeAll(loadAreaTexts)

describe('the head of a recall', () => {
  it('names the number of suspects beside any number of units', () => {
    expect(head(recallOf(1, yesterday))).toContain('1 unit is affected.</b> 1 suspect was traced.')
    const one = recallOf(5, yesterday)
    const alone = { ...one, units: one.units.map((unit, at) => ({ ...unit, via_count: at === 0 ? 1 : 0 })) }
    expect(head(alone)).toContain('5 units are affected.</b> 1 suspect was traced.')
  })

  it('counts scrapped units apart, and says when there are no others', () => {
    const found = recallOf(3, yesterday)
    const scrap = (from: number): Recall => ({
      ...found,
      units: found.units.map((unit, at) => (at < from ? unit : { ...unit, state: 'scrapped' as const })),
    })
    expect(head(scrap(2))).toContain('2 units are affected. 1 more was scrapped.</b>')
    expect(head(scrap(0))).toContain('All 3 units found were scrapped.</b>')
  })

  it('tells the day of an answer, also of today', () => {
    const now = new Date().toISOString()
    expect(head(recallOf(1, now))).toContain(`As of ${formatDateTime(tag, now)}<`)
    expect(head(recallOf(1, yesterday))).toContain(`As of ${formatDateTime(tag, yesterday)}<`)
  })
})

describe('the recall list on paper', () => {
  it('tells when it was asked', () => {
    const html = rendered(createElement(RecallPaper, { recall: recallOf(1, yesterday), suspects }))
    expect(html).toContain(`<p>As of ${formatDateTime(tag, yesterday)}</p>`)
  })

  it('names the suspects of a long list by the codes that were read for it', () => {
    const recall = recallOf(301, yesterday)
    const codes = recall.units.map((_, at) => [`s${at}`, { code: `S-${at}`, product: 'P' }] as const)
    client.setQueryData(codesQuery(suspectsOf(recall.units), true).queryKey, new Map(codes))
    const html = rendered(createElement(RecallPaper, { recall, suspects }))
    expect(html).toContain('<td class="tw-code">S-0</td>')
    expect(html).toContain('<td class="tw-code">S-300</td>')
  })
})
