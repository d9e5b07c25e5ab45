// After `vite build`: a .br and a .gz beside every text file of dist/, for the service to embed, and a check that the first page stays
// light. The first page is what a browser needs before anything can be used: the page, the styles, the entry with its imports, the texts
// of its language, and the screen it begins with. It is weighed as gzip, which is all that browsers ask for over plain HTTP.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const limit = 200_000
const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const texts = /\.(html|js|css|svg|json|webmanifest|txt)$/

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

async function compress(name) {
  const content = await readFile(join(dist, name))
  const options = {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  }
  const gz = await zip(content, { level: 9 })
  await writeFile(join(dist, `${name}.br`), await brotli(content, options))
  await writeFile(join(dist, `${name}.gz`), gz)
  return gz.length
}

/** The files that a module and its static imports need. */
function needs(manifest, key, found = new Set(), seen = new Set()) {
  const chunk = manifest[key]
  if (!chunk || seen.has(key)) return found
  seen.add(key)
  for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file)
  for (const imported of chunk.imports ?? []) needs(manifest, imported, found, seen)
  return found
}

const names = (await readdir(dist, { recursive: true })).filter((name) => texts.test(name) && !name.startsWith('.vite'))
const sizes = new Map()
for (const name of names) sizes.set(name, await compress(name))

const manifest = JSON.parse(await readFile(join(dist, '.vite/manifest.json'), 'utf8'))
await rm(join(dist, '.vite'), { recursive: true })

const weigh = (files) => [...files].reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0)
const screens = {
  'sign in': ['src/areas/security/sign-in.tsx', 'src/i18n/it/first.ts'],
  home: ['src/app/shell.tsx', 'src/app/home/index.tsx', 'src/i18n/it/first.ts'],
}
for (const [screen, modules] of Object.entries(screens)) {
  const files = needs(manifest, 'index.html', new Set(['index.html']))
  for (const module of modules) {
    if (!manifest[module]) throw new Error(`${module} is not a chunk of its own any more`)
    needs(manifest, module, files)
  }
  const weight = weigh(files)
  console.log(`First page, ${screen}: ${(weight / 1000).toFixed(1)} kB of ${limit / 1000} kB`)
  if (weight > limit) {
    for (const file of files) console.error(`${String(sizes.get(file)).padStart(9)} ${file}`)
    throw new Error(`the first page (${screen}) is too heavy`)
  }
}
