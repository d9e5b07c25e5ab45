import type { Page } from 'playwright-core'
import { password } from './plant'

/** Fills in the sign-in page, as people do. */
export async function tryToSignIn(page: Page, username: string, word = password): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByRole('textbox', { name: 'Password' }).fill(word)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Signs in, and waits until the frame of the page is there. */
export async function signIn(page: Page, username: string, word = password): Promise<void> {
  await tryToSignIn(page, username, word)
  try {
    await page.getByRole('button', { name: /Menu of / }).waitFor()
  } catch (cause) {
    const shown = await page
      .locator('body')
      .ariaSnapshot({ timeout: 5_000 })
      .catch(() => 'nothing that can be read')
    throw new Error(`${username} is not signed in; ${page.url()} shows:\n${shown}`, { cause })
  }
}
