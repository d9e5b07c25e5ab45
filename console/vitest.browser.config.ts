import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** How long one thing on a page may take. */
const patience = Number(process.env.BROWSER_PATIENCE ?? 60) * 1000

/** Journeys in a browser against the real binary, one file after the other: tests/browser. */
export default defineConfig({
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  test: {
    environment: 'node',
    include: ['tests/browser/**/*.test.ts'],
    globalSetup: ['tests/browser/harness/once.ts'],
    fileParallelism: false,
    expect: { poll: { timeout: patience, interval: 100 } },
    testTimeout: 10 * patience,
    hookTimeout: 10 * patience,
  },
})
