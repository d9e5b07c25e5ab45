import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type Api, body } from './harness/api'
import { journey } from './harness/journey'
import { answered, scan } from './harness/scanner'
import type { Screen } from './harness/screen'

const plant = journey()
const tablet = { viewport: { width: 1024, height: 768 }, hasTouch: true }

interface Order {
  readonly key: string
  readonly code: string
}

/** A new order for control units: two steps, one of them with a form, and a board to scan for each unit. */
async function order(api: Api, quantity: number, notes: string | null = null): Promise<Order> {
  const made = await body(
    api.POST('/work-order', { body: { product_key: 'cu-7', qt_planned: quantity, priority: false, notes } }),
  )
  const { _key, wo_code } = made.detail.work_order
  return { key: _key, code: wo_code }
}

async function jobOf(api: Api, { key, code }: Order) {
  const { detail } = await body(api.GET('/job', { params: { query: { work_order_key: [key] } } }))
  const job = detail.find(({ phase_alias }) => phase_alias === 'Mounting')
  if (!job) throw new Error(`${code} has no such job`)
  return job
}

async function eventsOf(api: Api, jobKey: string, type: string): Promise<number> {
  const found = await body(api.GET('/event', { params: { query: { job_key: jobKey, type: [type], limit: 100 } } }))
  return found.length
}

function main(page: Page, name: string | RegExp) {
  return page.locator('.pn-main-button').filter({ hasText: name })
}

/** How much of the page is beside the window. */
function beside(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}

async function begin(api: Api, operator: string, quantity: number, notes?: string): Promise<Screen & { made: Order }> {
  const made = await order(api, quantity, notes)
  const screen = await plant.open('/panel', { as: operator, ...tablet })
  await screen.page.getByRole('heading', { level: 1, name: 'Operator panel' }).waitFor()
  await scan(screen.page, made.code)
  expect(await answered(screen.page, made.code)).toBe('good')
  await screen.page.getByRole('heading', { name: 'Ready to start' }).waitFor()
  await main(screen.page, 'Start').click()
  await screen.page.getByRole('heading', { name: 'Spread the thermal paste' }).waitFor()
  return { ...screen, made }
}

describe('an operator', () => {
  it('takes an order by scan, scans components, scraps one, pauses, loses the line, and completes', async () => {
    const api = await plant.service.api()
    const { page, made, offline } = await begin(api, 'pavel.novak', 2)
    await main(page, 'Done').click()
    await page.getByRole('heading', { name: 'Mount the board' }).waitFor()

    // The next expected part is named; a wrong one, a used one and one that nobody knows are refused with the reason.
    const beside = page.getByRole('complementary', { name: 'Parts' })
    await beside.getByText('Scan next').waitFor()
    await beside.getByText('PB-7').first().waitFor()
    // The question has the focus all the time, and what is typed there counts, from the first key after a scan.
    const byHand = { delay: 150 }
    const question = page.locator('.pn-question').getByRole('textbox')
    await page.keyboard.type('1.', byHand)
    await scan(page, 'MO7-00036')
    expect(await answered(page, 'Wrong part: MO7-00036')).toBe('bad')
    await beside.getByText('Wrong part: MO7-00036').waitFor()
    await page.keyboard.type('25', byHand)
    expect(await question.inputValue()).toBe('1.25')
    await scan(page, 'PB7-00002')
    expect(await answered(page, 'PB7-00002 is used: it is built into CU7-00001')).toBe('bad')
    await scan(page, 'PB7-99999')
    expect(await answered(page, 'No unit has the code PB7-99999')).toBe('bad')
    await scan(page, 'PB7-00056')
    expect(await answered(page, 'PB7-00056 (PB-7) is in CU7-')).toBe('good')
    await beside.getByText('1 of 1').waitFor()
    await beside.getByText('PB7-00056 (PB-7) is in CU7-').waitFor()
    await page.keyboard.press('Backspace')
    expect(await question.inputValue()).toBe('1.2')

    // The other unit is scrapped, so that it needs no board.
    await page.getByRole('button', { name: 'Scrap', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Scrap' })
    await dialog.getByRole('group', { name: 'Which unit?' }).getByRole('button').last().click()
    await dialog.getByRole('textbox').fill('Housing is scratched')
    await dialog.locator('button[type=submit]').click()
    await beside.getByText('Will be scrapped: Housing is scratched').waitFor()

    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByRole('heading', { name: 'Paused' }).waitFor()
    await main(page, 'Resume').click()
    await page.getByRole('heading', { name: 'Mount the board' }).waitFor()

    // Without the line: what is typed stays, and what is done is kept and sent once the line is back.
    await question.fill('1.25')
    await offline(true)
    await page.getByText('Go on working: what you do is kept here').waitFor()
    expect(await question.inputValue()).toBe('1.25')
    await main(page, 'Done').click()
    await page.getByRole('heading', { name: 'All steps are done' }).waitFor()
    await main(page, '1 passes, 1 scrapped').click()
    await page.getByRole('heading', { name: 'Kept on this device' }).waitFor()
    await page.getByRole('button', { name: '2 entries waiting' }).waitFor()
    const job = await jobOf(api, made)
    expect(await eventsOf(api, job._key, 'STEP_COMPLETED')).toBe(1)
    expect(await eventsOf(api, job._key, 'BATCH_COMPLETED')).toBe(0)
    await offline(false)
    await page.getByRole('heading', { name: 'All done' }).waitFor()
    expect(await eventsOf(api, job._key, 'STEP_COMPLETED')).toBe(2)
    expect(await eventsOf(api, job._key, 'BATCH_COMPLETED')).toBe(1)
    expect(await jobOf(api, made)).toMatchObject({ qt_completed: 1, qt_scrap: 1, stage: 'closed' })
    const [board] = await body(api.GET('/serial-code', { params: { query: { serial_code: 'PB7-00056' } } }))
    expect(board?.state).toBe('used')
  })

  it('never does a thing twice when its answer is lost', async () => {
    const api = await plant.service.api()
    const { page, made, watch } = await begin(api, 'luca.moser', 1)
    const keys: (string | undefined)[] = []
    let lost = false
    await page.route('**/api/event', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (lost) return route.continue()
      lost = true
      await route.fetch()
      return route.abort('connectionreset')
    })
    watch.expectCut()
    await main(page, 'Done').click()
    await page.getByRole('heading', { name: 'Mount the board' }).waitFor()
    await expect.poll(() => keys.length).toBeGreaterThan(1)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toBeTruthy()
    const job = await jobOf(api, made)
    expect(await eventsOf(api, job._key, 'STEP_COMPLETED')).toBe(1)
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByRole('heading', { name: 'Paused' }).waitFor()
  })

  it('shares a batch with another page, and has room for a long link', async () => {
    const api = await plant.service.api()
    const link = `https://example.com/${'a'.repeat(290)}`
    const { page, made, context } = await begin(api, 'pavel.novak', 2, link)
    expect(await beside(page)).toBeLessThanOrEqual(0)
    await main(page, 'Done').click()
    await page.getByRole('heading', { name: 'Mount the board' }).waitFor()
    const other = await context.newPage()
    await other.goto(page.url())
    await other.getByRole('heading', { name: 'Mount the board' }).waitFor()

    await scan(page, 'PB7-00055')
    expect(await answered(page, 'PB7-00055 (PB-7) is in CU7-')).toBe('good')
    await scan(other, 'PB7-00054')
    expect(await answered(other, 'PB7-00054 (PB-7) is in CU7-')).toBe('good')
    const { _key: job_key } = await jobOf(api, made)
    const { detail } = await body(api.GET('/job/{job_key}', { params: { path: { job_key } } }))
    const parts = detail.wo_bom.flatMap(({ declared_serials }) => declared_serials)
    expect(parts.map(({ code }) => code).sort()).toEqual(['PB7-00054', 'PB7-00055'])
    expect(new Set(parts.map(({ parent_serial_key }) => parent_serial_key)).size).toBe(2)
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByRole('heading', { name: 'Paused' }).waitFor()
  })

  it('finds what was typed again after a reload, and reports an issue in two taps', async () => {
    const api = await plant.service.api()
    const { page, made } = await begin(api, 'luca.moser', 1)
    await main(page, 'Done').click()
    await page.getByRole('heading', { name: 'Mount the board' }).waitFor()
    const question = page.locator('.pn-question').getByRole('textbox')
    await question.fill('1.3')
    await page.reload()
    await page.getByRole('heading', { name: 'Mount the board' }).waitFor()
    await expect.poll(() => question.inputValue()).toBe('1.3')

    await page.getByRole('button', { name: 'Issue', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Report an issue' })
    const note = dialog.getByRole('textbox')
    await note.fill('A clip is loose')
    await scan(page, (await order(api, 1)).code)
    expect(await answered(page, 'Close the dialog first')).toBe('bad')
    expect(await note.inputValue()).toBe('A clip is loose')
    await dialog.getByRole('button', { name: 'Something else' }).click()
    expect(await answered(page, 'Reported')).not.toBe('bad')
    const job = await jobOf(api, made)
    expect(job.issues_open).toBe(1)
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByRole('heading', { name: 'Paused' }).waitFor()
  })

  it('takes another order where somebody else is at work, and scans nothing into it', async () => {
    const api = await plant.service.api()
    const { page } = await begin(api, 'luca.moser', 1)
    const other = await plant.open(new URL(page.url()).pathname, { as: 'pavel.novak', ...tablet })
    await other.page.getByRole('heading', { name: 'is at work here' }).waitFor()
    await scan(other.page, 'PB7-00053')
    expect(await answered(other.page, 'is at work here')).toBe('bad')
    const free = await order(api, 1)
    await scan(other.page, free.code)
    expect(await answered(other.page, free.code)).toBe('good')
    await other.page.getByRole('heading', { name: 'Ready to start' }).waitFor()
  })

  it('takes an order whose code was typed into the scan box', async () => {
    const api = await plant.service.api()
    const { code } = await order(api, 1)
    const { page } = await plant.open('/panel', { as: 'luca.moser', ...tablet })
    await page.getByRole('heading', { level: 1, name: 'Operator panel' }).waitFor()
    await page.getByRole('textbox', { name: 'Search or scan' }).fill(code)
    await page.keyboard.press('Enter')
    expect(await answered(page, code)).toBe('good')
    await page.getByRole('heading', { name: 'Ready to start' }).waitFor()
  })

  it('sees the queue in three bands, with large targets, down to a small screen', async () => {
    const { page } = await plant.open('/panel', {
      as: 'ines.costa',
      viewport: { width: 600, height: 900 },
      hasTouch: true,
    })
    await page.getByRole('heading', { level: 2, name: 'Running' }).waitFor()
    await page.getByRole('heading', { level: 2, name: 'Expected' }).waitFor()
    const rows = await page
      .locator('.pn-row')
      .evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height))
    expect(Math.min(...rows)).toBeGreaterThanOrEqual(56)
    expect(await beside(page)).toBeLessThanOrEqual(0)
  })
})
