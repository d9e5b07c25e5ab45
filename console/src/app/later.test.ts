import { expect, it } from 'vitest'
import { isMissingCode } from './errors'
import { forgetFailures, lately } from './later'

const Page = () => 'the page'
const cut = new Error('Unable to preload CSS for /assets/page.css')

/** A component whose code comes once the line is up. */
function page() {
  const line = { up: true, asked: 0 }
  const shown = lately(async () => {
    line.asked += 1
    if (!line.up) throw cut
    return { default: Page }
  })
  return { line, shown }
}

/** What a render throws, as the boundary around it gets it: React's word that it waits counts as none. */
function thrownBy(shown: ReturnType<typeof page>['shown']): unknown {
  try {
    shown({})
    return undefined
  } catch (error) {
    return error === cut ? error : undefined
  }
}
const settled = () => new Promise((done) => setTimeout(done))

it('fetches what was fetched in advance only once', async () => {
  const { line, shown } = page()
  await Promise.all([shown.preload?.(), shown.preload?.()])
  expect(line.asked).toBe(1)
  expect(shown({})).toMatchObject({ type: Page })
  expect(shown.preload).toBeUndefined()
})

it('says nothing of a failure in advance, and asks again when it is shown', async () => {
  const { line, shown } = page()
  line.up = false
  await shown.preload?.()
  line.up = true
  expect(thrownBy(shown)).toBeUndefined()
  await settled()
  expect(line.asked).toBe(2)
  expect(shown({})).toMatchObject({ type: Page })
})

it('throws a failure until it is forgotten, then asks again', async () => {
  const { line, shown } = page()
  line.up = false
  thrownBy(shown)
  await settled()
  expect(thrownBy(shown)).toBe(cut)
  expect(thrownBy(shown)).toBe(cut)
  expect(line.asked).toBe(1)
  line.up = true
  forgetFailures()
  expect(thrownBy(shown)).toBeUndefined()
  await settled()
  expect(shown({})).toMatchObject({ type: Page })
})

it('knows in the words of each browser that code is missing', () => {
  for (const words of [
    cut.message,
    'Failed to fetch dynamically imported module: http://plant/assets/page.js',
    'error loading dynamically imported module: http://plant/assets/page.js',
    'Importing a module script failed.',
  ]) {
    expect(isMissingCode(new TypeError(words)), words).toBe(true)
    expect(isMissingCode(new Error(words)), words).toBe(true)
  }
  expect(isMissingCode(new TypeError('x is undefined'))).toBe(false)
})
