/*
 * A stand-in for a binary without a console: serves the built one with the policy of the service, and passes everything else on. It is for
 * those who work on the console and do not want to build the service each time.
 */

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Front {
  readonly url: string
  stop(): Promise<void>
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "frame-src 'self' blob:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const kinds: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
}

const others = /^\/(api|console|media|healthz|readyz|metrics)(\/|\?|$)/

async function sendFile(folder: string, path: string, asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const wanted = join(folder, normalize(path))
  const file = extname(path) !== '' && existsSync(wanted) ? wanted : join(folder, 'index.html')
  const packed = String(asked.headers['accept-encoding'] ?? '').includes('br') && existsSync(`${file}.br`)
  const kind = kinds[extname(file)] ?? 'application/octet-stream'
  answer.setHeader('Content-Type', kind)
  if (packed) answer.setHeader('Content-Encoding', 'br')
  if (kind.startsWith('text/html')) answer.setHeader('Content-Security-Policy', policy)
  answer.setHeader('Cache-Control', path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
  answer.end(await readFile(packed ? `${file}.br` : file))
}

function pass(direct: URL, asked: IncomingMessage, answer: ServerResponse): void {
  const { method, headers, url } = asked
  const onward = request({ host: direct.hostname, port: direct.port, path: url, method, headers }, (said) => {
    answer.writeHead(said.statusCode ?? 502, said.headers)
    said.pipe(answer)
  })
  onward.on('error', () => answer.destroy())
  answer.on('close', () => onward.destroy())
  asked.pipe(onward)
}

async function hasConsole(direct: string): Promise<boolean> {
  const page = await (await fetch(direct, { headers: { Accept: 'text/html' } })).text()
  return page.includes('id="root"')
}

/** Null if the binary serves the console itself, as it should. */
export async function serveInFront(direct: string): Promise<Front | null> {
  if (await hasConsole(direct)) return null
  const folder = process.env.BROWSER_DIST ?? fileURLToPath(new URL('../../../dist', import.meta.url))
  if (!existsSync(join(folder, 'index.html'))) {
    throw new Error('neither the binary nor dist/ has the console: run `npm run build`, then build the service')
  }
  const target = new URL(direct)
  const server = createServer((asked, answer) => {
    const path = asked.url ?? '/'
    if (others.test(path)) return pass(target, asked, answer)
    sendFile(folder, new URL(path, direct).pathname, asked, answer).catch(() => answer.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
