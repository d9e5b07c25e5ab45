import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

// `npm run dev` serves the page itself and leaves everything else to a running service.
const service = process.env.TRACEWRIGHT_URL ?? 'http://127.0.0.1:8080'

export default defineConfig({
  base: '/',
  plugins: [react()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    target: 'es2022',
    sourcemap: false,
    // scripts/compress.mjs reads the manifest to weigh the first page, then removes it.
    manifest: true,
    // The content security policy has no inline data for scripts, and every file gets a hashed name.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 3 },
            {
              name: 'tanstack',
              test: /node_modules[\\/]@tanstack[\\/](react-)?(query|router|store|history)/,
              priority: 2,
            },
            // What the entry needs comes in one file: it packs better, and the browser asks less often.
            { name: 'entry', tags: ['$initial'], priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      '/api': service,
      '/console': service,
      '/media': service,
    },
  },
  test: {
    environment: 'node',
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.mjs'],
  },
})
