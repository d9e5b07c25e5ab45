import { describe, expect, it } from 'vitest'
import { body } from './harness/api'
import { journey } from './harness/journey'
import { password } from './harness/plant'
import { signIn, tryToSignIn } from './harness/sign-in'

const plant = journey()
const planner = 'jonas.pichler'

const scanBox = { name: 'Search or scan a code' }

describe('signing in', () => {
  it('shows whose console it is, and refuses a wrong password, which can be typed again at once', async () => {
    const { page, watch } = await plant.open('/')
    await page.getByText('Velmora Drives').waitFor()
    await page.getByRole('img', { name: 'Logo of Velmora Drives' }).waitFor()
    watch.expect(401, '/api/auth')
    await tryToSignIn(page, planner, 'not the password')
    await page.getByRole('alert').getByText('The username or the password is wrong.').waitFor()
    expect(await page.getByLabel('Username').inputValue()).toBe(planner)
    await page.locator('input[name="password"]:focus').waitFor()
    await signIn(page, planner)
    expect(new URL(page.url()).pathname).toBe('/')
  })

  it('asks for a new password where the old one is temporary', async () => {
    const api = await plant.service.api()
    const user = { _key: 'nora', username: 'nora.berg', name: 'Nora', surname: 'Berg', scope: 'operator' }
    const made = await body(api.POST('/user', { body: user }))
    const { page } = await plant.open('/panel')
    await tryToSignIn(page, 'nora.berg', made.detail.temp_psw)
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    const fill = async (first: string, second: string) => {
      await page.getByRole('textbox', { name: 'New password', exact: true }).fill(first)
      await page.getByRole('textbox', { name: 'New password again' }).fill(second)
      await page.getByRole('button', { name: 'Save and sign in' }).click()
    }
    await fill('short', 'other')
    await page.getByRole('alert').getByRole('button', { name: 'The two passwords differ.' }).waitFor()
    const words = 'A password has at least 10 characters.'
    await page.getByRole('alert').getByRole('button', { name: words }).click()
    const field = page.getByRole('textbox', { name: 'New password', exact: true, description: words })
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true)
    await fill('a long new word', 'a long new word')
    await page.getByRole('button', { name: /Menu of Nora Berg/ }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/panel')
  })

  it('speaks Italian to whoever prefers it', async () => {
    const { page } = await plant.open('/', { locale: 'it-IT' })
    await page.getByRole('heading', { name: 'Accedi' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('it')
  })
})

describe('the session', () => {
  it('keeps its token where no script can read it', async () => {
    const { page, context } = await plant.open('/', { as: planner })
    const kept = (await context.cookies(`${plant.service.url}/api`)).find((cookie) =>
      cookie.name.includes('tracewright'),
    )
    expect(kept).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
    const readable = await page.evaluate(() =>
      [document.cookie, ...Object.values(localStorage), ...Object.values(sessionStorage)].join('\n'),
    )
    expect(kept?.value.length).toBeGreaterThan(40)
    expect(readable).not.toContain(kept?.value)
    expect(readable).not.toMatch(/eyJ/)
  })

  it('survives a reload, and deep links lead to their page after signing in', async () => {
    const { page } = await plant.open('/plan?show=late', { as: planner })
    await page.getByRole('heading', { name: 'Production plan', level: 1 }).waitFor()
    expect(page.url()).toContain('/plan?show=late')
    await page.reload()
    await page.getByRole('heading', { name: 'Production plan', level: 1 }).waitFor()
    await page.getByRole('button', { name: /Menu of Jonas Pichler/ }).waitFor()
    expect(page.url()).toContain('/plan?show=late')
  })

  it('ends with the sign-out, for the cookie too', async () => {
    const { page, context, watch } = await plant.open('/plan', { as: planner })
    watch.expect(401, '/api/')
    const [kept] = await context.cookies(`${plant.service.url}/api`)
    await page.getByRole('button', { name: /Menu of Jonas Pichler/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await context.cookies(`${plant.service.url}/api`)).toEqual([])
    const again = await fetch(`${plant.service.url}/api/whoami`, {
      headers: { Cookie: `${kept?.name}=${kept?.value}` },
    })
    expect(again.status).toBe(401)
    await page.goto('/plan')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  it('ends with what its user asked for: nothing of it is done as the next one', async () => {
    const { page, context, watch } = await plant.open('/', { as: planner })
    watch.expect(401, '/api/')
    let asked = 0
    let answer = () => {}
    const late = new Promise<void>((resolve) => {
      answer = resolve
    })
    await context.route('**/api/preferences', async (route) => {
      asked += 1
      await late
      const detail = { message: 'The token is not valid.', code: 'token' }
      await route.fulfill({ status: 401, json: { detail } }).catch(() => undefined)
    })
    await page.getByRole('button', { name: /Menu of Jonas Pichler/ }).click()
    await page.getByRole('menuitem', { name: 'Dark' }).click()
    await expect.poll(() => asked).toBe(1)
    await page.getByRole('button', { name: /Menu of Jonas Pichler/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await signIn(page, 'admin')
    answer()
    await page.getByRole('textbox', scanBox).fill('anything')
    await page.waitForTimeout(1_000)
    expect(asked).toBe(1)
  })

  it('that is ended elsewhere is told kindly, and what was typed is kept', async () => {
    const here = await plant.open('/search', { as: planner })
    const box = here.page.getByRole('textbox', scanBox)
    await box.pressSequentially('half a wor', { delay: 60 })
    here.watch.expect(401, '/api/')
    const elsewhere = await plant.open('/', { as: planner })
    elsewhere.watch.expect(401, '/api/')
    await here.page.getByRole('button', { name: /Menu of Jonas Pichler/ }).click()
    await here.page.getByRole('menuitem', { name: 'Dark' }).click()
    const dialog = here.page.getByRole('dialog', { name: 'Your session was ended' })
    await dialog.getByText('What you typed is kept').waitFor()
    await dialog.getByRole('textbox', { name: 'Password of Jonas Pichler' }).fill(password)
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await box.inputValue()).toBe('half a wor')
    await expect.poll(() => here.page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark')
  })

  it('locks when nobody is there, and hides the page until the password is given', async () => {
    const { page, watch } = await plant.open('/', { as: planner })
    await page.clock.install()
    await page.reload()
    await page.getByRole('button', { name: /Menu of Jonas Pichler/ }).waitFor()
    await page.keyboard.press('Shift')
    await page.clock.fastForward('31:00')
    const dialog = page.getByRole('dialog', { name: 'Are you still there?' })
    await dialog.waitFor()
    await expect
      .poll(() => page.locator('.tw-shell').evaluate((shell) => getComputedStyle(shell).visibility))
      .toBe('hidden')
    const field = dialog.getByRole('textbox', { name: 'Password of Jonas Pichler' })
    watch.expect(401, '/verify')
    watch.expect(403, '/verify')
    await field.fill('not the password')
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await dialog.getByRole('alert').waitFor()
    await field.fill(password)
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('textbox', scanBox).waitFor()
  })

  it('that lacks a right says so instead of showing the page', async () => {
    const api = await plant.service.api()
    await api.PATCH('/user/{user_key}', {
      params: { path: { user_key: 'sara' } },
      body: { scope: 'product:catalogue:read' },
    })
    const { page } = await plant.open('/plan', { as: 'sara.nagy' })
    await page.getByText('You may not open Production plan').waitFor()
    await page.goto('/no/such/page')
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  })
})
