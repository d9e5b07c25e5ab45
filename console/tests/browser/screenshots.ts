/*
 * Pictures of every screen for the documentation: docs/images/<screen>-<width>-<scheme>.png, from the demonstration plant.
 */

import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { launch } from './harness/chromium'
import { pagesOf, type Shown } from './harness/pages'
import { withPalette } from './harness/palette'
import { makePlant } from './harness/plant'
import { openScreen } from './harness/screen'
import { startService } from './harness/service'
import { signIn } from './harness/sign-in'

const folder = fileURLToPath(new URL('../../../docs/images/', import.meta.url))
const sizes = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 768, height: 1024 },
]
const schemes = ['light', 'dark'] as const

async function picture(page: Page, file: string): Promise<number> {
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'))
  const png = withPalette(await page.screenshot({ caret: 'hide' }))
  await writeFile(`${folder}${file}`, png)
  return png.length
}

/** Those whose name begins with one of the arguments; all without. */
function wanted(pages: readonly Shown[]): Shown[] {
  const names = process.argv.slice(3)
  return pages.filter(({ name }) => names.length === 0 || names.some((start) => name.startsWith(start)))
}

export default async function screenshots(): Promise<void> {
  await mkdir(folder, { recursive: true })
  const plant = await makePlant()
  const service = await startService(plant.folder)
  const browser = await launch()
  const sums = { files: 0, bytes: 0 }
  try {
    const pages = wanted(await pagesOf(await service.api()))
    for (const scheme of schemes) {
      for (const user of new Set(pages.map(({ as }) => as))) {
        if (user !== null) await (await service.api(user)).PATCH('/preferences', { body: { theme: scheme } })
        const { page, close } = await openScreen(browser, service, { colorScheme: scheme })
        await page.goto('/sign-in')
        if (user !== null) await signIn(page, user)
        for (const shown of pages.filter(({ as }) => as === user)) {
          for (const size of sizes) {
            await page.setViewportSize(size)
            await page.goto(shown.path)
            await shown.ready(page)
            sums.bytes += await picture(page, `${shown.name}-${size.width}-${scheme}.png`)
            sums.files += 1
          }
        }
        await close()
      }
    }
  } finally {
    await browser.close()
    await service.stop()
    await plant.remove()
  }
  console.log(`${sums.files} pictures, ${(sums.bytes / 1e6).toFixed(1)} MB together`)
}
