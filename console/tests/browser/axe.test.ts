import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { journey } from './harness/journey'
import { pagesOf, type Shown } from './harness/pages'
import { signIn } from './harness/sign-in'

const plant = journey()
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

const schemes = ['light', 'dark'] as const

type Scheme = (typeof schemes)[number]

/** Without a theme among the user's preferences, the console follows the browser's. */
async function followBrowser(page: Page): Promise<void> {
  await page.route('**/api/session', async (route) => {
    const response = await route.fetch()
    const answer = await response.json()
    if (answer.detail?.preferences) delete answer.detail.preferences.theme
    await route.fulfill({ response, json: answer })
  })
}

async function paint(page: Page, scheme: Scheme): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme })
  await page.waitForFunction((wanted) => document.documentElement.dataset.mantineColorScheme === wanted, scheme)
  // Colours fade in; what is measured must be what stays.
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'))
}

/** What axe has found: rule, where, and what it says. */
async function violations(page: Page): Promise<string[]> {
  const found = await page.evaluate(async (tags) => {
    const { axe: run } = window as unknown as { axe: typeof axe }
    const { violations: all } = await run.run(document, { runOnly: { type: 'tag', values: tags } })
    return all.flatMap(({ id, nodes }) => nodes.map((node) => [id, node.target.join(' '), node.failureSummary ?? '']))
  }, rules)
  return found.map(([id, target, summary]) => `${id} at ${target}: ${summary}`)
}

/** What is wrong with a page, by its colours. */
async function wrongWith(page: Page, shown: Shown): Promise<Record<string, string[]>> {
  const wrong: Record<string, string[]> = {}
  await page.goto(shown.path)
  await shown.ready(page).catch((error: Error) => {
    wrong[shown.name] = [`not shown: ${error.message}`]
  })
  await page.evaluate(source)
  for (const scheme of schemes) {
    await paint(page, scheme)
    const found = await violations(page)
    if (found.length > 0) wrong[`${shown.name}, ${scheme}`] = found
  }
  return wrong
}

it('no page violates a rule of accessibility, in light and in dark colours', { timeout: 0 }, async () => {
  const pages = await pagesOf(await plant.service.api())
  const wrong: Record<string, string[]> = {}
  for (const user of new Set(pages.map(({ as }) => as))) {
    const { page, close } = await plant.open('/sign-in')
    await followBrowser(page)
    if (user !== null) await signIn(page, user)
    for (const shown of pages.filter(({ as }) => as === user)) Object.assign(wrong, await wrongWith(page, shown))
    await close()
  }
  expect(wrong).toEqual({})
})
