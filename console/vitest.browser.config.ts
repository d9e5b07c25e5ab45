import { defineConfig } from 'vitest/config'

/** Journeys in a browser against the real binary, one after the other: tests/browser. */
export default defineConfig({
  test: {
    environment: 'node',
    include: ['tests/browser/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
