import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Journeys in a browser against the real binary, one file after the other: tests/browser. */
export default defineConfig({
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  test: {
    environment: 'node',
    include: ['tests/browser/**/*.test.ts'],
    globalSetup: ['tests/browser/harness/once.ts'],
    fileParallelism: false,
    expect: { poll: { timeout: 60_000, interval: 100 } },
    testTimeout: 600_000,
    hookTimeout: 300_000,
  },
})
