// Runs a TypeScript program of tests/browser: `node scripts/run.mjs screenshots`.
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const [name] = process.argv.slice(2)
const { module } = await runnerImport(`${root}tests/browser/${name}.ts`, {
  root,
  configFile: false,
  logLevel: 'error',
  resolve: { alias: { '@': `${root}src` } },
})
await module.default()
