import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import areas from '@/i18n/en/areas'

const src = fileURLToPath(new URL('..', import.meta.url))

function fileOf(name: string, from: string): string | undefined {
  const path = name.startsWith('@/') ? join(src, name.slice(2)) : name.startsWith('.') ? join(dirname(from), name) : ''
  if (path === '') return undefined
  return [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`, `${path}/index.tsx`].find(
    (one) => /\.tsx?$/.test(one) && existsSync(one),
  )
}

/** The module and all it imports, but for types and for what it fetches later. */
function reachable(path: string, found = new Map<string, string>()): Map<string, string> {
  if (found.has(path)) return found
  const code = readFileSync(path, 'utf8').replaceAll(/^\s*(?:\*|\/\/).*$/gm, '')
  found.set(path, code)
  for (const [, name = ''] of code.matchAll(/^(?:import|export)(?! type)[^;]*?from '([^']+)'/gms)) {
    const file = fileOf(name, path)
    if (file !== undefined) reachable(file, found)
  }
  return found
}

it('says nothing on the first page that only an area says', () => {
  const modules = new Map<string, string>()
  for (const root of ['main.tsx', 'app/shell.tsx', 'app/home/index.tsx', 'areas/security/sign-in.tsx']) {
    reachable(join(src, root), modules)
  }
  expect(modules.size).toBeGreaterThan(100)
  const key = new RegExp(`['\`](?:${Object.keys(areas).join('|')})\\.[a-z]`)
  const wrong = [...modules].filter(([path, code]) => !path.includes('/i18n/') && key.test(code)).map(([path]) => path)
  expect(wrong, 'these texts belong into a file of i18n/en/first.ts').toEqual([])
})
