import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { body } from './harness/api'
import { journey } from './harness/journey'
import { scan } from './harness/scanner'

const plant = journey()
const planner = 'jonas.pichler'

/** The codes of the queue, as they stand on the page. */
function codes(page: Page): Promise<string[]> {
  return page
    .getByRole('list', { name: 'Orders in the sequence of the site' })
    .locator('.tw-wo-link .tw-code')
    .allInnerTexts()
}

async function queueOfService(): Promise<string[]> {
  const api = await plant.service.api()
  const answer = await body(api.GET('/work-order', { params: { query: { open: true, closed: false } } }))
  return answer.detail.map((order) => order.wo_code)
}

describe('a planner', () => {
  it('makes an order from a product, and puts it first', async () => {
    const { page } = await plant.open('/plan', { as: planner })
    await page.getByRole('button', { name: 'New order' }).click()
    const dialog = page.getByRole('dialog', { name: 'New order' })

    // Everything that is wrong at once, in one list that leads to the fields.
    await dialog.getByRole('button', { name: 'Create the order' }).click()
    const wrong = dialog.getByRole('alert')
    await wrong.getByText('Choose what is to be made.').waitFor()
    await wrong.getByText('Enter a quantity above zero.').waitFor()
    await wrong
      .getByRole('link', { name: /Quantity/ })
      .or(wrong.getByRole('button', { name: /Quantity/ }))
      .click()
    await expect
      .poll(() => dialog.getByLabel('Quantity').evaluate((field) => field === document.activeElement))
      .toBe(true)

    await dialog
      .getByRole('combobox', { name: 'Product' })
      .or(dialog.getByRole('textbox', { name: 'Product' }))
      .fill('DS-250')
    await page.getByRole('option', { name: /^DS-250/ }).click()
    await dialog.getByText('traced unit by unit').waitFor()
    await dialog.getByLabel('Quantity').fill('2.5')
    await dialog.getByRole('button', { name: 'Create the order' }).click()
    await wrong.getByText('Units are traced one by one: enter a whole number.').waitFor()

    await dialog.getByLabel('Quantity').fill('3')
    await dialog.getByLabel('Project or customer').fill('Bikes of Trento')
    await dialog.getByLabel('Put it first in the queue').check()
    await dialog.getByRole('button', { name: 'Create the order' }).click()
    const told = page.getByRole('status').filter({ hasText: 'is created and stands first' })
    await told.waitFor()
    const [code = ''] = ((await told.textContent()) ?? '').split(' ')
    await expect.poll(async () => (await codes(page))[0]).toBe(code)
    expect((await queueOfService()).length).toBe((await codes(page)).length)

    await told.getByRole('link', { name: 'Open it' }).click()
    await page.getByRole('heading', { level: 1, name: code }).waitFor()
    await page.getByText('0 of 3 made').first().waitFor()
  })

  it('scans the product of a new order, however its code is written', async () => {
    const { page } = await plant.open('/plan?new=true', { as: planner })
    const dialog = page.getByRole('dialog', { name: 'New order' })
    await dialog.getByLabel('Quantity').waitFor()
    await scan(page, 'ds-250')
    await dialog.getByText('traced unit by unit').waitFor()
  })

  it('chooses the product that was typed by Enter, and sends nothing yet', async () => {
    const { page } = await plant.open('/plan?new=true', { as: planner })
    const dialog = page.getByRole('dialog', { name: 'New order' })
    await dialog.getByRole('combobox', { name: 'Product' }).pressSequentially('pb-7', { delay: 80 })
    await page.keyboard.press('Enter')
    await dialog.getByText('traced unit by unit').waitFor()
    expect(await dialog.getByText('Enter a quantity above zero').count()).toBe(0)
    await dialog.getByLabel('Quantity').fill('0')
    await page.keyboard.press('Enter')
    await dialog.getByText('Enter a quantity above zero').first().waitFor()
    await dialog.getByLabel('Quantity').fill('2')
    expect(await dialog.getByText('Enter a quantity above zero').count()).toBe(0)
  })

  it('is told that the line is cut where code is missing, and goes on when it is back', async () => {
    const { page, context, offline } = await plant.open('/', { as: planner })
    await page.getByRole('heading', { level: 1 }).waitFor()
    // As if it had not been fetched in advance.
    await context.route(/user-menu/, (route) => route.abort())
    await page.goto('/plan')
    await page.getByRole('button', { name: 'New order' }).waitFor()
    await offline(true)
    const cut = page.getByRole('alert').filter({ hasText: 'The service does not answer' })
    await page.getByRole('button', { name: /Menu of/ }).click()
    await cut.waitFor()
    await page.getByRole('heading', { level: 1, name: 'Production plan' }).waitFor()
    await page.getByRole('link', { name: 'Recall' }).click()
    await expect.poll(() => cut.count()).toBe(2)

    await context.unroute(/user-menu/)
    await offline(false)
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    await page.getByRole('heading', { level: 1, name: 'Recall' }).waitFor()
    expect(await cut.count()).toBe(0)
  })

  it('changes the sequence by keyboard, and sees what others change without reloading', async () => {
    const { page } = await plant.open('/plan', { as: planner })
    await page.getByRole('list', { name: 'Orders in the sequence of the site' }).waitFor()
    const [first = '', second = '', third = ''] = await codes(page)
    await page.getByRole('button', { name: `Move ${third}` }).focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Space')
    await expect.poll(async () => (await codes(page)).slice(0, 3)).toEqual([third, first, second])
    await page.reload()
    await expect.poll(async () => (await codes(page)).slice(0, 3)).toEqual([third, first, second])

    await page.getByText('Live', { exact: true }).waitFor()
    const api = await plant.service.api()
    const made = await body(
      api.POST('/work-order', { body: { product_key: 'ds-250', qt_planned: 1, priority: false } }),
    )
    await expect.poll(async () => await codes(page)).toContain(made.detail.work_order.wo_code)
  })

  it('puts an order first with the pointer, and drags one', async () => {
    const { page } = await plant.open('/plan', { as: planner })
    await page.getByRole('list', { name: 'Orders in the sequence of the site' }).waitFor()
    const before = await codes(page)
    const last = before.at(-1) ?? ''
    await page.getByRole('button', { name: `Put ${last} first` }).click()
    await expect.poll(async () => (await codes(page))[0]).toBe(last)
    const from = await page.getByRole('button', { name: `Move ${last}` }).boundingBox()
    const to = await page.getByRole('button', { name: `Move ${before[1]}` }).boundingBox()
    if (!from || !to) throw new Error('the handles are not shown')
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
    await page.mouse.down()
    await page.mouse.move(from.x + 8, (from.y + to.y) / 2, { steps: 6 })
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2 + 4, { steps: 6 })
    await page.mouse.up()
    await expect.poll(async () => (await codes(page)).indexOf(last)).toBe(2)
  })

  it('without the right sees the queue, and is told who may change it', async () => {
    const { page } = await plant.open('/plan', { as: 'thomas.gruber' })
    await page.getByText('only those who plan production may change it').waitFor()
    expect(await page.getByRole('button', { name: 'New order' }).count()).toBe(0)
  })
})
