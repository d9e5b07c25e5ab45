/*
 * A file of tests: its own service, its own browser; each test has fresh pages, which are watched until it ends.
 */

import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest'
import { launch } from './chromium'
import { openScreen, type Screen } from './screen'
import { type Service, startService } from './service'
import { signIn } from './sign-in'
import './once'

const failures = fileURLToPath(new URL('../../../../target/browser-failures/', import.meta.url))

export interface Opening extends BrowserContextOptions {
  /** Who signs in; nobody if absent. */
  readonly as?: string
}

export interface Journey {
  readonly service: Service
  readonly browser: Browser
  /** A new browser profile with one page at an address of the console. */
  open(path: string, opening?: Opening): Promise<Screen>
}

async function picture(screen: Screen, name: string): Promise<void> {
  await mkdir(failures, { recursive: true })
  const file = name.replace(/[^\w]+/g, '-').slice(0, 80)
  const pages = screen.context.pages()
  for (const [at, page] of pages.entries()) {
    await page.screenshot({ path: `${failures}${file}${at === 0 ? '' : `-${at}`}.png` }).catch(() => undefined)
  }
}

/** Call it once in a file of tests. */
export function journey(): Journey {
  let service: Service | undefined
  let browser: Browser | undefined
  let screens: Screen[] = []

  const there = <T>(thing: T | undefined): T => {
    if (thing === undefined) throw new Error('only within a test')
    return thing
  }

  beforeAll(async () => {
    service = await startService(inject('plant'))
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })
  afterEach(async ({ task }) => {
    const opened = screens
    screens = []
    const failed = task.result?.state === 'fail'
    const faults = opened.flatMap((screen) => screen.watch.faults)
    for (const screen of opened) {
      if (failed || faults.length > 0) await picture(screen, task.name)
      await screen.context.close()
    }
    expect(faults, 'what the pages did that no page may do').toEqual([])
  })

  return {
    get service() {
      return there(service)
    },
    get browser() {
      return there(browser)
    },
    open: async (path, { as, ...options } = {}) => {
      const screen = await openScreen(there(browser), there(service), options)
      screens.push(screen)
      await screen.page.goto(path)
      if (as !== undefined) await signIn(screen.page, as)
      return screen
    },
  }
}
