import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { loadAreaTexts } from '@/i18n/text'
import { order } from './fixtures'
import { Sheet } from './order/sheet'
import { Notes } from './order/side'
import { NoteText } from './panel/parts/notices'

const endless = 'x'.repeat(99_000)

function rendered(node: ReactNode): string {
  const queries = createElement(QueryClientProvider, { client: new QueryClient() }, node)
  return renderToStaticMarkup(createElement(MantineProvider, null, queries))
}

/** Of the text on the page, line by line. */
function longestLine(html: string): number {
  const texts = html.replaceAll(/<[^>]*>/g, '\n').split('\n')
  return Math.max(...texts.map(({ length }) => length))
}

vi.mock('@/session', async (original) => ({
  ...(await original<typeof import('@/session')>()),
  useSession: () => ({ can: () => false }),
}))

beforeAll(() => loadAreaTexts())

describe('a long note without a blank', () => {
  it('is folded on the page of its order', () => {
    const html = rendered(createElement(Notes, { order: order({ notes: endless }) }))
    expect(html).toContain('xxx')
    expect(html.length).toBeLessThan(5_000)
  })

  it('is folded in the panel', () => {
    expect(rendered(createElement(NoteText, { text: endless })).length).toBeLessThan(5_000)
    expect(rendered(createElement(NoteText, { text: 'Mind\nthe edge' }))).toContain('Mind\nthe edge')
  })

  it('is printed as a whole, in lines that lay out at once', () => {
    const html = rendered(createElement(Sheet, { order: order({ notes: endless }) }))
    expect(html.split('x').length).toBeGreaterThan(99_000)
    expect(longestLine(html)).toBeLessThanOrEqual(2_000)
  })
})
