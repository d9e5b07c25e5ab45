import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { journey } from './harness/journey'
import { pagesOf, type Shown } from './harness/pages'
import { signIn } from './harness/sign-in'

const plant = journey()
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What axe has found: rule, where, and what it says. */
async function violations(page: Page): Promise<string[]> {
  // Colours fade in; what is measured must be what stays.
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'))
  await page.evaluate(source)
  const found = await page.evaluate(async (tags) => {
    const { axe: run } = window as unknown as { axe: typeof axe }
    const { violations: all } = await run.run(document, { runOnly: { type: 'tag', values: tags } })
    return all.flatMap(({ id, nodes }) => nodes.map((node) => [id, node.target.join(' '), node.failureSummary ?? '']))
  }, rules)
  return found.map(([id, target, summary]) => `${id} at ${target}: ${summary}`)
}

for (const scheme of ['light', 'dark'] as const) {
  describe(`in ${scheme} colours`, () => {
    let pages: Shown[] = []

    beforeAll(async () => {
      const api = await plant.service.api()
      pages = await pagesOf(api)
      for (const user of new Set(pages.flatMap(({ as }) => as ?? []))) {
        await (await plant.service.api(user)).PATCH('/preferences', { body: { theme: scheme } })
      }
    })

    it('no page violates a rule of accessibility', { timeout: 0 }, async () => {
      const found: Record<string, string[]> = {}
      for (const user of new Set(pages.map(({ as }) => as))) {
        const { page, close } = await plant.open('/sign-in', { colorScheme: scheme })
        if (user !== null) await signIn(page, user)
        for (const shown of pages.filter(({ as }) => as === user)) {
          await page.goto(shown.path)
          await shown.ready(page).catch((error: Error) => {
            found[shown.name] = [`not shown: ${error.message}`]
          })
          const wrong = await violations(page)
          if (wrong.length > 0) found[shown.name] = [...(found[shown.name] ?? []), ...wrong]
        }
        await close()
      }
      expect(found).toEqual({})
    })
  })
}
