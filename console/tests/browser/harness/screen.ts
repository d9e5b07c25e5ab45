/*
 * A page of the console in a fresh browser profile, watched.
 */

import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { noteAnswers } from './scanner'
import type { Service } from './service'
import { type Watch, watch } from './watch'

/** How long anything may take that has to appear, in milliseconds. A busy machine is slow: `BROWSER_PATIENCE` are the seconds for it. */
const patience = Number(process.env.BROWSER_PATIENCE ?? 60) * 1000

export interface Screen {
  readonly page: Page
  readonly context: BrowserContext
  readonly watch: Watch
  /** Cuts the line, or mends it. */
  offline(cut: boolean): Promise<void>
  /** Before the test ends. */
  close(): Promise<void>
}

export async function openScreen(browser: Browser, service: Service, options: BrowserContextOptions): Promise<Screen> {
  const context = await browser.newContext({
    baseURL: service.url,
    locale: 'en-GB',
    viewport: { width: 1440, height: 900 },
    ...options,
  })
  context.setDefaultTimeout(patience)
  const watching = await watch(context, service.url)
  await noteAnswers(context)
  const offline = async (cut: boolean) => {
    if (cut) watching.expectCut()
    await context.setOffline(cut)
  }
  return { page: await context.newPage(), context, watch: watching, offline, close: () => context.close() }
}
