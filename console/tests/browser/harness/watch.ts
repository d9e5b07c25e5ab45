/*
 * What no page may do: say an error, break the content security policy, or ask another host.
 */

import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core'

export interface Watch {
  readonly faults: readonly string[]
  /** From here on answers of this status are no fault, at addresses that contain `at`. */
  expect(status: number, at: string): void
  /** From here on requests may fail without an answer. */
  expectCut(): void
}

interface Expected {
  readonly status: number
  readonly at: string
}

/** Before anybody has signed in, the console asks who has. */
const always: readonly Expected[] = [{ status: 401, at: '/api/whoami' }]

const harmless = /^(data|blob|about|chrome-extension|chrome):/

/** React tells what a boundary has caught, such as code that could not be fetched. */
function isCut(text: string): boolean {
  return /net::ERR_(INTERNET_DISCONNECTED|NETWORK_CHANGED|CONNECTION_RESET|FAILED|ABORTED)|preload CSS|imported module/.test(
    text,
  )
}

export async function watch(context: BrowserContext, url: string): Promise<Watch> {
  const faults: string[] = []
  let cut = false
  const expected: Expected[] = [...always]
  const isExpected = (text: string, at: string) =>
    expected.some((one) => at.includes(one.at) && text.includes(`status of ${one.status}`))

  const onConsole = (message: ConsoleMessage) => {
    if (message.type() !== 'error') return
    const [text, at] = [message.text(), message.location().url]
    if (isExpected(text, at) || (cut && isCut(text))) return
    faults.push(`console: ${text} (${at})`)
  }
  const onPage = (page: Page) => {
    page.on('console', onConsole)
    page.on('pageerror', (error) => faults.push(`uncaught: ${error.stack ?? error.message}`))
    page.on('crash', () => faults.push('the page crashed'))
  }
  context.on('page', onPage)
  context.on('request', (request) => {
    const asked = request.url()
    if (!harmless.test(asked) && new URL(asked).origin !== url) faults.push(`another host: ${asked}`)
  })
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(
        `policy: ${event.violatedDirective} forbids ${event.blockedURI} (${event.sourceFile}:${event.lineNumber})`,
      )
    })
  })
  return {
    faults,
    expect: (status, at) => expected.push({ status, at }),
    expectCut: () => {
      cut = true
    },
  }
}
