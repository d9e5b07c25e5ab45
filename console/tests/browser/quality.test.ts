import { readFile } from 'node:fs/promises'
import type { Download, Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { body } from './harness/api'
import { journey } from './harness/journey'
import { answered, scan } from './harness/scanner'

const plant = journey()
const quality = 'marta.kofler'

/** What a field of date and time takes, in the time zone of the browser. */
function local(moment: Date): string {
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 16)
}

async function textOf(download: Download): Promise<string> {
  return readFile(await download.path(), 'utf8')
}

/** Types a quarter past nine over the time of a field of date and time, key by key. */
async function typeTime(page: Page, field: Locator): Promise<void> {
  await field.blur()
  await field.focus()
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', '0', '9', '1', '5']) await page.keyboard.press(key)
}

/** The torque sensor that the tree shows. */
async function sensors(page: Page): Promise<string[]> {
  const shown = (await page.getByRole('tree').first().textContent()) ?? ''
  return [...new Set(shown.match(/TS1-\d+/g))]
}

describe('a quality engineer', () => {
  it('opens a unit by scan, looks at it as of yesterday and before its part was replaced', async () => {
    const { page } = await plant.open('/', { as: quality })
    await page.getByRole('heading', { level: 1 }).waitFor()
    await scan(page, 'DU7-00010')
    await page.getByRole('heading', { level: 1, name: 'DU7-00010' }).waitFor()
    await page.getByText('Built into').first().waitFor()
    await page.getByRole('navigation', { name: 'What it is built into' }).getByText('DS7-00009').waitFor()
    const now = await sensors(page)

    const time = page.getByRole('region', { name: 'As it stood on' })
    await time.getByLabel('Date and time').fill(local(new Date(Date.now() - 86_400_000)))
    await time
      .getByRole('status')
      .getByText(/As it stood on \d/)
      .waitFor()
    expect(new URL(page.url()).searchParams.get('as_of')).toMatch(/^\d{4}-\d\d-\d\dT/)
    await page.getByText('Built into').first().waitFor()

    // The link of that moment shows the same after a reload, and to others.
    await page.reload()
    await time
      .getByRole('status')
      .getByText(/As it stood on \d/)
      .waitFor()

    const earlier = time.getByRole('button', { name: 'To the change before' })
    await earlier.click()
    await earlier.click()
    await earlier.click()
    await expect.poll(() => sensors(page)).not.toEqual(now)
    await time.getByRole('button', { name: 'Back to now' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('as_of')).toBeNull()
    await expect.poll(() => sensors(page)).toEqual(now)
  })

  it('types the moment to look at, stage by stage', async () => {
    const { page, watch } = await plant.open('/', { as: quality })
    await page.getByRole('heading', { level: 1 }).waitFor()
    await scan(page, 'DU7-00010')
    await page.getByRole('heading', { level: 1, name: 'DU7-00010' }).waitFor()
    const asOf = () => new URL(page.url()).searchParams.get('as_of')
    const yesterday = local(new Date(Date.now() - 86_400_000)).slice(0, 10)
    const moment = page.getByRole('region', { name: 'As it stood on' }).getByLabel('Date and time')
    await moment.fill(`${yesterday}T10:30`)
    await page.keyboard.press('Enter')
    await expect.poll(asOf).not.toBeNull()
    await typeTime(page, moment)
    expect(await moment.inputValue()).toBe(`${yesterday}T09:15`)
    await expect.poll(() => local(new Date(asOf() ?? ''))).toBe(`${yesterday}T09:15`)

    // So does Trace, and keeps the field while it reads; there was no such unit so long ago.
    watch.expect(404, '/api/trace/')
    await page.goto(`/trace?serial=${page.url().split('/serial/')[1]?.split('?')[0]}`)
    const stood = page.getByLabel('As it stood on')
    await stood.fill('2025-11-10T10:30')
    await page.getByText('There was no such unit at that moment.').waitFor()
    await typeTime(page, stood)
    await expect.poll(() => local(new Date(asOf() ?? ''))).toBe('2025-11-10T09:15')
    await page.getByText('There was no such unit at that moment.').waitFor()
    expect(await stood.evaluate((field) => field === document.activeElement)).toBe(true)
    expect(await page.getByText('as_of').count()).toBe(0)
  })

  it('reads the history record, and has it as a file', async () => {
    const { page } = await plant.open('/', { as: quality })
    await page.getByRole('heading', { level: 1 }).waitFor()
    await scan(page, 'DS7-00001')
    await page.getByRole('heading', { level: 1, name: 'DS7-00001' }).waitFor()
    await page.locator('#record').getByText('Complete', { exact: true }).waitFor()
    const made = page.waitForResponse((answer) => answer.url().includes('/dhr?') && answer.url().includes('pdf'))
    await page.getByRole('button', { name: 'Open the PDF' }).click()
    const answer = await made
    expect(answer.headers()['content-type']).toBe('application/pdf')
    const dialog = page.getByRole('dialog', { name: 'History record DS7-00001' })
    expect(await dialog.locator('iframe').getAttribute('src')).toMatch(/^blob:/)
    const [pdf] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download as PDF' }).click(),
    ])
    expect(pdf.suggestedFilename()).toMatch(/DS7-00001.*\.pdf$/)
    expect((await textOf(pdf)).slice(0, 5)).toBe('%PDF-')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await scan(page, 'DU7-00015')
    await page.getByRole('heading', { level: 1, name: 'DU7-00015' }).waitFor()
    await page.locator('#record').getByText('The file DU7-00015 report.pdf is not stored.').waitFor()
  })

  it('explores where a component went', async () => {
    const { page } = await plant.open('/trace', { as: quality })
    await page.getByRole('heading', { level: 1, name: 'Trace' }).waitFor()
    await scan(page, 'PM4-0002')
    await page
      .getByText(/Now in .*DS7-00001/)
      .first()
      .waitFor()

    // Arrow keys walk the graph, plus opens a level; the same set stands in the table.
    const graph = page
      .getByRole('application', { name: /PM4-0002/ })
      .or(page.getByLabel('Graph of the trace of PM4-0002'))
    await graph.first().waitFor()
    await page.locator('[data-entry][tabindex="0"]').focus()
    await page.keyboard.press('ArrowRight')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? ''))
      .toContain('PB7-00002')
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'The selection' }).getByText('PB7-00002').first().waitFor()
    // A key that follows another at once may be a scanner's, so the console waits for a single one.
    await page.keyboard.press('v')
    await page.getByRole('tree', { name: 'Tree of the trace of PM4-0002' }).waitFor()
    await page.keyboard.press('v')
    const table = page.getByRole('grid').or(page.getByRole('table')).first()
    for (const code of ['PB7-00002', 'CU7-00001', 'DU7-00001', 'DS7-00001'])
      await table.getByText(code).first().waitFor()
    expect(page.url()).toContain('view=table')
  })

  it('names suspects, and exports the recall list', async () => {
    const { page } = await plant.open('/recall', { as: quality })
    await page.getByRole('heading', { level: 1, name: 'Recall' }).waitFor()
    await scan(page, 'PM4-0002')
    await page.getByText('1 unit is affected.').waitFor()
    await scan(page, 'PM4-0003')
    await page.getByText('2 units are affected.').waitFor()
    const [list] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Recall list (CSV)' }).click(),
    ])
    expect(list.suggestedFilename()).toMatch(/\.csv$/)
    const lines = (await textOf(list)).trim().split(/\r?\n/)
    expect(lines.length).toBe(3)
    expect(lines.join('\n')).toContain('DS7-00001')

    // What the page counts is what the service counts, also by pattern, and the address tells it to others.
    await page.goto('/recall?product=pm-4&code=PM4-00*')
    const api = await plant.service.api()
    const query = { product_key: 'pm-4', code: 'PM4-00*', limit: 1000 }
    const found = await body(api.GET('/trace/recall', { params: { query } }))
    const units = Array.isArray(found) ? found : []
    const affected = units.filter(({ state }) => state !== 'scrapped').length
    await page.getByText(`${affected} units are affected.`).waitFor()
    await page.getByText(`${units.length - affected} more were scrapped.`).waitFor()
  })

  it('pastes a list of suspects, and still sees which codes no unit has', async () => {
    const { page } = await plant.open('/recall', { as: quality })
    await page.getByRole('button', { name: 'Paste a list' }).click()
    await page.getByRole('textbox', { name: 'Codes' }).fill('PM4-0002\nNO-SUCH-CODE')
    await page.getByRole('button', { name: 'Look up' }).click()
    await page.getByRole('button', { name: 'Add 1 unit' }).click()
    await page.getByText('1 unit is affected.').waitFor()
    await page.getByText('1 code has no unit:').waitFor()
    await page.getByText('NO-SUCH-CODE').waitFor()
    await page.getByRole('button', { name: 'Remove all' }).click()
    await page.getByText('NO-SUCH-CODE').waitFor({ state: 'detached' })
  })

  it('reads every head of a table in full, in Italian on a tablet', async () => {
    const { page } = await plant.open('/', { as: quality })
    await page.route('**/api/session', async (route) => {
      const response = await route.fetch()
      const answer = await response.json()
      if (answer.detail?.preferences) answer.detail.preferences.locale = 'it'
      await route.fulfill({ response, json: answer })
    })
    await page.setViewportSize({ width: 1024, height: 768 })
    for (const path of ['/serial', '/product', '/recall?product=pm-4&code=PM4-00*']) {
      await page.goto(path)
      await page.locator('tr[data-index="0"]').first().waitFor()
      await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('it')
      const heads = page.locator('th, th button, th span')
      const cut = await heads.evaluateAll((all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth && one.clientWidth > 0).map((one) => one.textContent),
      )
      expect(cut, path).toEqual([])
    }
  })

  it('gets an answer to every scan: several things, none, GS1', async () => {
    const { page } = await plant.open('/', { as: quality })
    await page.getByRole('heading', { level: 1 }).waitFor()
    await scan(page, 'NO-SUCH-CODE')
    expect(await answered(page, 'Nothing has the code NO-SUCH-CODE.')).toBe('bad')
    await scan(page, ']C121DU7-00010')
    await page.getByRole('heading', { level: 1, name: 'DU7-00010' }).waitFor()
    await scan(page, 'WO-0016', 'Tab')
    await page.getByRole('heading', { level: 1, name: /WO-0016/ }).waitFor()
    await scan(page, 'DS-250')
    await page.getByRole('heading', { level: 1, name: /DS-250/ }).waitFor()
  })

  it('types in a field while the scanner is used: the text stays, the code goes where it belongs', async () => {
    const { page } = await plant.open('/serial', { as: quality })
    const field = page.getByRole('searchbox').or(page.locator('main input[type=text], main input[type=search]')).first()
    await field.waitFor()
    await field.pressSequentially('DU7', { delay: 120 })
    await expect.poll(() => page.url()).toContain('DU7')
    await field.focus()
    await scan(page, 'PM4-0002')
    await page.getByRole('heading', { level: 1, name: 'PM4-0002' }).waitFor()
    await page.goBack()
    await expect.poll(() => field.inputValue()).toBe('DU7')
  })
})
