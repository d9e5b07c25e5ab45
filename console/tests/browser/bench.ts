/*
 * Figures of the console in a browser, one line of JSON each: what was done, what was measured, the floor that was measured in the same
 * run, and the goal. The data are real: made through the API, served by the binary.
 */

import type { Page } from 'playwright-core'
import { type Api, body } from './harness/api'
import { launch } from './harness/chromium'
import { makePlant } from './harness/plant'
import { scan } from './harness/scanner'
import { openScreen } from './harness/screen'
import { type Service, startService } from './harness/service'
import { signIn } from './harness/sign-in'

interface Row {
  readonly work: string
  readonly measured: string
  readonly floor?: string
  readonly ratio?: string
  readonly goal: string
}

function tell(row: Row): void {
  console.log(JSON.stringify({ engine: 'browser', floor: '', ratio: '', ...row }))
}

const who = 'marta.kofler'
const many = 100_000

/** One event makes all of them. */
async function makeSerials(api: Api): Promise<void> {
  const range = `PMX-000001-${String(many).padStart(6, '0')}`
  const rest = { event_type: 'SERIAL_CREATED', product_key: 'pm-4', range } as const
  await api.POST('/event', { body: rest })
}

/** A product of 99 assemblies with 100 parts each: a tree of 9,999 nodes. */
async function makeTree(api: Api): Promise<void> {
  const names = (kind: string, count: number) => Array.from({ length: count }, (_, at) => `bench-${kind}-${at + 1}`)
  const [assemblies, parts] = [names('a', 99), names('p', 100)]
  for (const key of ['bench', ...assemblies, ...parts]) {
    await api.POST('/product', { body: { _key: key, code: key.toUpperCase(), description: `Part ${key}` } })
  }
  const put = (key: string, lines: string[]) =>
    api.PUT('/product/{product_key_or_code}/bom', {
      params: { path: { product_key_or_code: key } },
      body: lines.map((component_key) => ({ component_key, qt: 1 })),
    })
  for (const key of ['bench', ...assemblies]) {
    await api.PUT('/product/{product_key}/process', {
      params: { path: { product_key: key } },
      body: [{ alias: 'Assembly', operation_key: 'assembly', steps: [] }],
    })
  }
  for (const key of assemblies) await put(key, parts)
  await put('bench', assemblies)
}

/** What the browser fetched until now, packed as it came. */
function weight(page: Page): Promise<number> {
  return page.evaluate(() => {
    const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    const files = (entries as PerformanceResourceTiming[]).filter(
      ({ name }) => !new URL(name).pathname.startsWith('/api'),
    )
    return files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
  })
}

async function firstPage(page: Page): Promise<void> {
  await page.goto('/')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  const signInWeight = await weight(page)
  await signIn(page, who)
  await page.goto('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByRole('button', { name: /Menu of / }).waitFor()
  const home = await weight(page)
  for (const [name, bytes] of [
    ['sign in', signInWeight],
    ['home', home],
  ] as const) {
    const measured = `${(bytes / 1000).toFixed(1)} kB`
    tell({
      work: `first page, ${name}, as it comes over the line`,
      measured,
      goal: 'under 200 kB',
    })
  }
}

interface Frames {
  readonly longest: number
  readonly p95: number
  readonly count: number
}

/** Scrolls what an element lies in, 600 pixels in every frame, there and back, and notes how long the frames took. */
function scrolled(page: Page, selector: string | null): Promise<Frames> {
  return page.evaluate(async (wanted) => {
    let target: Element | null = wanted === null ? null : document.querySelector(wanted)
    while (target && !/auto|scroll/.test(getComputedStyle(target).overflowY)) target = target.parentElement
    if (wanted !== null && (target?.scrollHeight ?? 0) < 200 * 600) throw new Error(`nothing to scroll at ${wanted}`)
    const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))
    const times: number[] = []
    let last = await frame()
    for (let step = 0; step < 300; step += 1) {
      if (target) target.scrollTop += step < 200 ? 600 : -900
      const now = await frame()
      times.push(now - last)
      last = now
      if (target && step === 199 && target.scrollTop < 200 * 599) throw new Error(`it only went to ${target.scrollTop}`)
    }
    times.sort((a, b) => a - b)
    return { longest: times.at(-1) ?? 0, p95: times[Math.floor(times.length * 0.95)] ?? 0, count: times.length }
  }, selector)
}

function tellFrames(work: string, frames: Frames, idle: Frames): void {
  tell({
    work,
    measured: `${frames.longest.toFixed(1)} ms the longest frame, p95 ${frames.p95.toFixed(1)} ms`,
    floor: `without scrolling: ${idle.longest.toFixed(1)} ms, p95 ${idle.p95.toFixed(1)} ms`,
    ratio: (frames.p95 / idle.p95).toFixed(2),
    goal: 'at most 50 ms',
  })
}

async function scrolling(page: Page): Promise<void> {
  await page.goto('/serial?q=PMX-')
  await page.getByText('PMX-').first().waitFor()
  const idle = await scrolled(page, null)
  tellFrames(`list of ${many} serials, scrolled`, await scrolled(page, '[role=grid]'), idle)
  await page.goto('/product/bench/bom')
  await page.getByRole('button', { name: 'Open all' }).click()
  await page.getByText('BENCH-P-1').first().waitFor()
  tellFrames('tree of 9999 nodes, all open, scrolled', await scrolled(page, '[role=tree]'), idle)
}

/** Notes in the page when a tone begins, and when the browser has shown the colour: that of a text in the same frame. */
async function watchAnswers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const noted = { tone: 0, colour: 0 }
    Object.assign(window, { noted })
    const start = OscillatorNode.prototype.start
    OscillatorNode.prototype.start = function (this: OscillatorNode, when?: number) {
      noted.tone ||= performance.now()
      start.call(this, when)
    }
    new PerformanceObserver((shown) => {
      const entries = shown.getEntries() as (PerformanceEntry & { identifier: string })[]
      for (const { identifier, startTime } of entries) if (identifier === 'flash') noted.colour ||= startTime
    }).observe({ type: 'element' })
    new MutationObserver((changes) => {
      for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
        if (!(node instanceof Element && node.matches('.tw-flash'))) continue
        const text = document.createElement('p')
        text.setAttribute('elementtiming', 'flash')
        text.textContent = 'shown'
        node.append(text)
      }
    }).observe(document, { subtree: true, childList: true })
  })
}

/** Waits until the page has loaded: nobody scans before. */
async function standing(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForTimeout(500)
}

/** How long the browser takes to show a text that is put into the page, and nothing else: no answer can be seen sooner. */
function shown(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const text = document.createElement('p')
        text.setAttribute('elementtiming', 'floor')
        text.style.cssText = 'position: fixed; inset: auto 0 0 0; margin: 0'
        text.textContent = 'shown'
        const begun = performance.now()
        const observer = new PerformanceObserver((entries) => {
          observer.disconnect()
          text.remove()
          resolve((entries.getEntries()[0]?.startTime ?? Number.NaN) - begun)
        })
        observer.observe({ type: 'element' })
        document.body.append(text)
      }),
  )
}

function middleAndWorst(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b)
  const [median = 0, worst = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
  return `median ${median.toFixed(1)} ms, worst of ${times.length} ${worst.toFixed(1)} ms`
}

/** From the last byte of the service's answers to tone and colour. */
async function answers(page: Page): Promise<void> {
  const times: number[] = []
  const floors: number[] = []
  for (let at = 1; at <= 20; at += 1) {
    await standing(page)
    floors.push(await shown(page))
    await page.evaluate(() => {
      performance.clearResourceTimings()
      Object.assign((window as unknown as { noted: object }).noted, { tone: 0, colour: 0 })
    })
    const code = `PM4-00${String(at).padStart(2, '0')}`
    await scan(page, code)
    await page.waitForFunction(() => (window as unknown as { noted: { colour: number } }).noted.colour > 0)
    await page.getByRole('heading', { level: 1, name: code }).waitFor()
    const took = await page.evaluate(() => {
      const { tone, colour } = (window as unknown as { noted: { tone: number; colour: number } }).noted
      const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
      const asked = entries.filter(({ name, responseEnd }) => name.includes('/api/') && responseEnd <= tone)
      return Math.max(tone, colour) - Math.max(...asked.map(({ responseEnd }) => responseEnd))
    })
    times.push(took)
  }
  tell({
    work: 'scan: from the answer of the service to tone and colour',
    measured: middleAndWorst(times),
    floor: `a text put into the page by itself, until it is shown: ${middleAndWorst(floors)}`,
    goal: 'under 50 ms',
  })
}

async function prepare(service: Service): Promise<void> {
  const api = await service.api()
  await makeSerials(api)
  await makeTree(api)
  const [found] = await body(api.GET('/serial-code', { params: { query: { serial_code: 'PMX-100000' } } }))
  if (!found) throw new Error('the serials are not there')
}

export default async function bench(): Promise<void> {
  const plant = await makePlant()
  const service = await startService(plant.folder)
  const browser = await launch()
  try {
    await prepare(service)
    const { page } = await openScreen(browser, service, {})
    await firstPage(page)
    await scrolling(page)
    await watchAnswers(page)
    await page.goto('/')
    await standing(page)
    // Browsers are silent until somebody has used the page.
    await page.keyboard.press('Shift')
    await answers(page)
  } finally {
    await browser.close()
    await service.stop()
    await plant.remove()
  }
}
