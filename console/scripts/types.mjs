// Writes src/api/schema.d.ts from the API document; with --check it fails if the file is stale.
import { readFile, writeFile } from 'node:fs/promises'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'

const document = new URL('../../openapi/openapi.json', import.meta.url)
const target = new URL('../src/api/schema.d.ts', import.meta.url)

const words = new Set(['description', 'summary', 'example', 'examples', 'title'])

/** The document without its prose: the types stay a third of the size. A property may be called like prose, so members of
 * `properties` are always kept. */
function bare(node, named = false) {
  if (Array.isArray(node)) return node.map((item) => bare(item))
  if (node === null || typeof node !== 'object') return node
  const kept = Object.entries(node).filter(([name]) => named || !words.has(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, bare(value, !named && name === 'properties')]))
}

const text = ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword)
const number = ts.factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword)
const nothing = ts.factory.createLiteralTypeNode(ts.factory.createNull())

/** Exact decimals are `number | string` in both directions: src/api/decimal.ts says why. */
function transform(schema) {
  if (schema.format !== 'decimal') return undefined
  const nullable = Array.isArray(schema.type) && schema.type.includes('null')
  return ts.factory.createUnionTypeNode(nullable ? [number, text, nothing] : [number, text])
}

/** Every right that there is. */
function scopes(api) {
  return Object.keys(api.components.securitySchemes.OAuth2PasswordBearer.flows.password.scopes).sort()
}

async function generate() {
  const api = JSON.parse(await readFile(document, 'utf8'))
  const types = astToString(await openapiTS(bare(api), { transform }))
  const union = scopes(api).map((scope) => `  | '${scope}'`)
  return `// Made by \`npm run types\` from openapi/openapi.json.\n\n${types}\nexport type FineScope =\n${union.join('\n')}\n`
}

const made = await generate()
if (process.argv.includes('--check')) {
  const present = await readFile(target, 'utf8').catch(() => '')
  if (present !== made) {
    console.error('src/api/schema.d.ts is stale: run `npm run types`, and commit what it writes.')
    process.exit(1)
  }
} else {
  await writeFile(target, made)
}
