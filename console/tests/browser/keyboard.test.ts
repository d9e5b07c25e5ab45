import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { journey } from './harness/journey'
import { pagesOf } from './harness/pages'
import { password } from './harness/plant'
import { press } from './harness/scanner'
import { signIn } from './harness/sign-in'

const plant = journey()

interface Stop {
  readonly name: string
  readonly visible: boolean
  readonly marked: boolean
}

/** Notes every element that gets the focus: its name, whether it can be seen, and whether the focus can. */
async function watchFocus(page: Page): Promise<void> {
  await page.evaluate(() => {
    const looks = (element: Element) => {
      const { outline, outlineStyle, boxShadow, borderColor, backgroundColor } = getComputedStyle(element)
      return [outlineStyle === 'none' ? '' : outline, boxShadow, borderColor, backgroundColor].join('|')
    }
    const around = (element: Element) => {
      const chain: Element[] = []
      for (let at: Element | null = element; at && chain.length < 4; at = at.parentElement) chain.push(at)
      return [...chain, ...element.querySelectorAll('*')].map(looks).join('\n')
    }
    const stops: { element: Element; name: string; visible: boolean; look: string }[] = []
    document.addEventListener('focusin', ({ target }) => {
      if (!(target instanceof HTMLElement) || target === document.body) return
      const label = target.getAttribute('aria-label') ?? target.textContent?.trim() ?? ''
      const name = `${target.tagName.toLowerCase()}${target.id && `#${target.id}`} ${label.slice(0, 40)}`
      // Of a choice that is drawn by its label, the label is what people see.
      const faces = [target, ...(target instanceof HTMLInputElement ? (target.labels ?? []) : [])]
      const visible = faces.some((face) => face.getBoundingClientRect().width > 0)
      stops.push({ element: target, name, visible, look: around(target) })
    })
    Object.assign(window, {
      stopsOf: () => {
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
        return stops.map(({ element, name, visible, look }) => ({ name, visible, marked: around(element) !== look }))
      },
      countStops: () => ({ all: stops.length, different: new Set(stops.map(({ element }) => element)).size }),
    })
  })
}

/** Tabs through the whole page. A trap would show as a walk that never comes to its end. */
async function walk(page: Page): Promise<Stop[]> {
  await watchFocus(page)
  await toTheStart(page)
  const count = () =>
    page.evaluate(() => (window as unknown as { countStops(): { all: number; different: number } }).countStops())
  for (let round = 0; round < 40; round += 1) {
    const before = await count()
    await press(page, 'Tab', 20)
    const after = await count()
    if (after.different === before.different) {
      return page.evaluate(() => (window as unknown as { stopsOf(): Stop[] }).stopsOf())
    }
  }
  throw new Error('the walk does not end')
}

/** What can be used with the pointer and therefore must be reached with the keyboard. */
function targets(page: Page): Promise<number> {
  return page.evaluate(() => {
    const all = document.querySelectorAll<HTMLElement>(
      'a[href], button, input, select, textarea, summary, [tabindex="0"]',
    )
    const usable = [...all].filter((one) => {
      const box = one.getBoundingClientRect()
      const shown = box.width > 1 && box.height > 1 && getComputedStyle(one).visibility === 'visible'
      return shown && one.tabIndex >= 0 && !one.matches(':disabled') && one.closest('[inert]') === null
    })
    return usable.length
  })
}

/** As after opening the page: the next Tab goes to the first thing on it. */
function toTheStart(page: Page): Promise<void> {
  return page.evaluate(() => {
    document.body.tabIndex = -1
    document.body.focus()
    document.body.removeAttribute('tabindex')
  })
}

describe('the keyboard alone', () => {
  it('reaches everything on every page, with a focus that can be seen, and no trap', {
    timeout: 1_200_000,
  }, async () => {
    const pages = await pagesOf(await plant.service.api())
    const wrong: Record<string, unknown> = {}
    for (const user of new Set(pages.map(({ as }) => as))) {
      const { page, close } = await plant.open('/sign-in')
      if (user !== null) await signIn(page, user)
      for (const shown of pages.filter(({ as }) => as === user)) {
        await page.goto(shown.path)
        await shown.ready(page)
        const expected = await targets(page)
        const stops = await walk(page)
        const different = new Set(stops.map(({ name }) => name)).size
        const hidden = stops.filter(({ visible }) => !visible).map(({ name }) => name)
        const unmarked = stops.filter(({ marked }) => !marked).map(({ name }) => name)
        if (hidden.length > 0) wrong[`${shown.name}: focus that is hidden`] = [...new Set(hidden)]
        if (unmarked.length > 0) wrong[`${shown.name}: focus that can't be seen`] = [...new Set(unmarked)]
        if (stops.length < expected)
          wrong[`${shown.name}: not reached`] = { expected, reached: stops.length, different }
      }
      await close()
    }
    expect(wrong).toEqual({})
  })

  it('signs in, finds a unit, walks a table and opens a row', async () => {
    const { page } = await plant.open('/')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.keyboard.type('marta.kofler')
    await page.keyboard.press('Tab')
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /Menu of Marta Kofler/ }).waitFor()

    // The first stop leads past the navigation.
    await toTheStart(page)
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('content')

    await page.keyboard.press('/')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('tw-scan-box')
    await page.keyboard.type('DU7-00024', { delay: 90 })
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'DU7-00024' }).waitFor()

    await page.goto('/serial')
    await page.locator('tr[data-index="3"] .tw-code').first().waitFor()
    // The scan box has the focus: the key is no part of what is searched for.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('tw-scan-box')
    await page.keyboard.press('/')
    await expect.poll(() => page.locator('#tw-scan-box').inputValue()).toBe('')
    await page.keyboard.type('DU7-00023', { delay: 90 })
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'DU7-00023' }).waitFor()

    await page.goto('/serial')
    await page.locator('tr[data-index="3"] .tw-code').first().waitFor()
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await keys.waitFor()
    await page.keyboard.press('Escape')
    await keys.waitFor({ state: 'detached' })
    const grid = page.getByRole('grid').first()
    await grid.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/serial\/.+/)
  })

  it('opens and closes what lies over the page, and comes back to where it was', async () => {
    const { page } = await plant.open('/plan', { as: 'jonas.pichler' })
    await page.getByRole('heading', { level: 1, name: 'Production plan' }).waitFor()
    const opener = page.getByRole('button', { name: 'New order' })
    await opener.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'New order' })
    await dialog.waitFor()
    await expect.poll(() => dialog.evaluate((box) => box.contains(document.activeElement))).toBe(true)
    await press(page, 'Tab', 40)
    expect(await dialog.evaluate((box) => box.contains(document.activeElement))).toBe(true)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => opener.evaluate((button) => button === document.activeElement)).toBe(true)

    // What was typed is not lost by a slip.
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Quantity').fill('12')
    await page.mouse.click(5, 450)
    await page.keyboard.press('Escape')
    await dialog.getByText('What you typed is not saved.').waitFor()
    expect(await dialog.getByLabel('Quantity').inputValue()).toBe('12')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await toTheStart(page)
    await page.keyboard.press('?')
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await list.getByText('Search everywhere').waitFor()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search everywhere' }).or(page.getByRole('searchbox')).first().waitFor()
  })
})
