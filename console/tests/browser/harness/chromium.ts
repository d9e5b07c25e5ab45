import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  // Machines that test have no sound card.
  '--disable-audio-output',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--lang=en-GB',
]

function onPath(): string {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)]
  const places = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  const found = places.find((place) => existsSync(place))
  if (!found) throw new Error('no Chromium on the PATH: install the package chromium')
  return found
}

/** Debian's Chromium, without a window, with a profile that is gone afterwards. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: onPath(), headless: true, args: flags })
}
