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
    expect: { poll: { timeout: 30_000, interval: 100 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
