import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/types.mjs', import.meta.url))

it('has types that fit the API document', { timeout: 60_000 }, async () => {
  const run = promisify(execFile)(process.execPath, [script, '--check'])
  await expect(run).resolves.toBeDefined()
})
