/*
 * A wedge scanner: a keyboard that types a code faster than anybody could, and ends with Enter or Tab.
 */

import type { BrowserContext, CDPSession, Page } from 'playwright-core'

/** Seconds between two keys. */
const pace = 0.008

interface Stroke {
  readonly key: string
  readonly text: string
  readonly code: number
}

const ends: Readonly<Record<'Enter' | 'Tab', Stroke>> = {
  Enter: { key: 'Enter', text: '\r', code: 13 },
  Tab: { key: 'Tab', text: '', code: 9 },
}

const sessions = new WeakMap<Page, Promise<CDPSession>>()

function sessionOf(page: Page): Promise<CDPSession> {
  const known = sessions.get(page)
  if (known) return known
  const made = page.context().newCDPSession(page)
  sessions.set(page, made)
  return made
}

/** All strokes are on their way before the first is answered, and carry their times, so that a busy machine types no slower. */
export async function scan(page: Page, code: string, end: 'Enter' | 'Tab' = 'Enter'): Promise<void> {
  const session = await sessionOf(page)
  const strokes = [...code].map((character): Stroke => ({ key: character, text: character, code: 0 }))
  const begin = Date.now() / 1000
  const sent = [...strokes, ends[end]].flatMap(({ key, text, code: windowsVirtualKeyCode }, at) => {
    const stroke = { key, windowsVirtualKeyCode }
    const timestamp = begin + at * pace
    return [
      session.send('Input.dispatchKeyEvent', {
        type: text === '' ? 'rawKeyDown' : 'keyDown',
        text,
        timestamp,
        ...stroke,
      }),
      session.send('Input.dispatchKeyEvent', { type: 'keyUp', timestamp: timestamp + pace / 2, ...stroke }),
    ]
  })
  await Promise.all(sent)
}

/** The same key many times, faster than one by one. */
export async function press(page: Page, key: 'Tab', times: number): Promise<void> {
  const session = await sessionOf(page)
  const { code: windowsVirtualKeyCode } = ends[key]
  const sent = Array.from({ length: times }, () => [
    session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key, windowsVirtualKeyCode }),
    session.send('Input.dispatchKeyEvent', { type: 'keyUp', key, windowsVirtualKeyCode }),
  ])
  await Promise.all(sent.flat())
}

interface Told {
  readonly tone: string
  readonly text: string
}

/** Notes what the pages say after a scan: the words go away by themselves, sooner than a busy machine may look. */
export async function noteAnswers(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const told: { tone: string; text: string }[] = []
    Object.assign(window, { told })
    const note = () => {
      const words = document.querySelector<HTMLElement>('.tw-flash-words[data-tone]')
      const [tone, text] = [words?.dataset.tone ?? '', words?.textContent ?? '']
      const last = told.at(-1)
      if (text !== '' && (last?.text !== text || last.tone !== tone)) told.push({ tone, text })
    }
    new MutationObserver(note).observe(document, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    })
  })
}

/** Waits for an answer with these words since the page was loaded, and gives its tone: good, bad or neutral. */
export async function answered(page: Page, words: string): Promise<string> {
  const found = await page.waitForFunction(
    (wanted) => (window as unknown as { told: Told[] }).told.find(({ text }) => text.includes(wanted))?.tone,
    words,
  )
  return (await found.jsonValue()) ?? ''
}
