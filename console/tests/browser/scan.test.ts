import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type Api, body } from './harness/api'
import { journey } from './harness/journey'
import { answered, scan } from './harness/scanner'

const plant = journey()
const planner = 'jonas.pichler'

/** The question of a dialog in which something was typed. */
function question(page: Page) {
  return page.getByRole('alert').filter({ hasText: 'What you typed is not saved.' })
}

async function makeOrder(api: Api) {
  const made = await body(api.POST('/work-order', { body: { product_key: 'cu-7', qt_planned: 1, priority: false } }))
  return made.detail.work_order
}

describe('a scan', () => {
  it('changes no list and presses no button that has the focus', async () => {
    const api = await plant.service.api()
    const { _key, wo_code } = await makeOrder(api)
    const jobs = await body(api.GET('/job', { params: { query: { work_order_key: [_key] } } }))
    const { page } = await plant.open(`/order/${_key}`, { as: planner })
    const sent: string[] = []
    page.on('request', (request) => {
      const path = new URL(request.url()).pathname
      if (request.method() !== 'GET' && /^\/api\/(job|queue)/.test(path)) sent.push(path)
    })
    const operator = page.getByRole('combobox', { name: /^Operator/ }).first()
    await operator.focus()
    const before = await operator.inputValue()
    for (const short of ['P4', 'P 4', 'PA ']) {
      await scan(page, short)
      await page.waitForTimeout(300)
      expect(await operator.inputValue(), short).toBe(before)
    }
    await scan(page, 'PM4 SP01')
    expect(await answered(page, 'PM4 SP01')).toBe('bad')
    expect(await operator.inputValue()).toBe(before)
    const after = await body(api.GET('/job', { params: { query: { work_order_key: [_key] } } }))
    expect(after.detail.map(({ assigned_to }) => assigned_to)).toEqual(
      jobs.detail.map(({ assigned_to }) => assigned_to),
    )
    expect(sent).toEqual([])

    // A person chooses by letters. The browser forgets what was typed after a second.
    await page.waitForTimeout(1500)
    await operator.focus()
    await page.keyboard.type('p', { delay: 120 })
    await expect.poll(() => operator.inputValue()).not.toBe(before)
    await expect.poll(() => sent.length).toBe(1)

    await page.goto('/plan')
    const first = page.getByRole('button', { name: `Put ${wo_code} first` })
    await first.focus()
    await scan(page, 'A12')
    await scan(page, 'AB 12345')
    await answered(page, 'AB 12345')
    expect(await first.count()).toBe(1)
    expect(sent).toEqual(['/api/job/update'])
    await page.keyboard.press('Enter')
    await expect.poll(() => sent.length).toBe(2)
  })

  it('leaves a dialog in which something was typed', async () => {
    const { page } = await plant.open('/plan', { as: planner })
    await page.getByRole('button', { name: 'New order' }).click()
    const dialog = page.getByRole('dialog', { name: 'New order' })
    const notes = dialog.getByLabel('Notes for the operators')
    await notes.fill('Long words')
    await scan(page, ']C121DU7-00010')
    expect(await answered(page, 'Nothing was opened')).toBe('bad')
    expect(await notes.inputValue()).toBe('Long words')
    expect(new URL(page.url()).pathname).toBe('/plan')
  })
})

describe('a dialog in which something was typed', () => {
  it('asks before another page, Back or a reload takes it away', async () => {
    const { _key, wo_code } = await makeOrder(await plant.service.api())
    const { page } = await plant.open('/plan', { as: planner })
    await page.locator('.tw-wo-link').filter({ hasText: wo_code }).click()
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    const notes = dialog.getByLabel('Notes for the operators')
    await notes.fill('Many words')

    await page.goBack()
    await question(page).waitFor()
    expect(await notes.inputValue()).toBe('Many words')
    expect(new URL(page.url()).pathname).toBe(`/order/${_key}`)

    await notes.fill('Many more words')
    const asked: string[] = []
    page.on('dialog', (one) => {
      asked.push(one.type())
      void one.dismiss()
    })
    await page.reload({ timeout: 3000 }).catch(() => undefined)
    expect(asked).toEqual(['beforeunload'])
    expect(await notes.inputValue()).toBe('Many more words')

    await page.keyboard.press('Control+k')
    const box = page.getByRole('combobox', { name: 'Search everywhere' })
    await box.fill('DU7-00010')
    await page
      .getByRole('option', { name: /DU7-00010/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await question(page).waitFor()
    expect(await notes.inputValue()).toBe('Many more words')
    await page.goBack()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/plan')
  })

  it('closes without a word once it is sent', async () => {
    const { _key } = await makeOrder(await plant.service.api())
    const { page } = await plant.open(`/order/${_key}`, { as: planner })
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Notes for the operators').fill('Keep it dry')
    await dialog.locator('button[type=submit]').click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Keep it dry').first().waitFor()
    await page.getByRole('link', { name: 'Products' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/product')
  })
})

describe('the operator panel', () => {
  it('asks for another scan while it is still loading', async () => {
    const { page } = await plant.open('/', {
      as: 'pavel.novak',
      viewport: { width: 1024, height: 768 },
      hasTouch: true,
    })
    let arrive = () => {}
    const late = new Promise<void>((resolve) => {
      arrive = resolve
    })
    await page.route(/\/api\/job\/[^/?]+$/, async (route) => {
      await late
      await route.continue()
    })
    const api = await plant.service.api()
    const { _key } = await makeOrder(api)
    const { detail } = await body(api.GET('/job', { params: { query: { work_order_key: [_key] } } }))
    await page.goto(`/panel/job/${detail[0]?._key}`)
    await page.locator('header.tw-bar').waitFor()
    await page.waitForTimeout(500)
    await scan(page, 'DU7-00010')
    expect(await answered(page, 'still loading')).toBe('bad')
    expect(new URL(page.url()).pathname).toMatch(/^\/panel\/job\//)
    arrive()
    await page.getByRole('heading', { level: 1 }).first().waitFor()
  })
})
