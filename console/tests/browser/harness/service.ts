/*
 * The real binary, serving a copy of the plant on a free port.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { type Api, connect } from './api'
import { type Front, serveInFront } from './front'
import { bareEnvironment, binary, copyPlant, type Plant } from './plant'

export interface Service {
  /** Where the browser finds the console. */
  readonly url: string
  /** What the service logged so far. */
  readonly log: readonly string[]
  /** Everything that the API has, as somebody; `admin` unless told otherwise. One session each: do not take whom a browser signs in as. */
  api(username?: string): Promise<Api>
  stop(): Promise<void>
}

async function address(serving: ChildProcess, log: string[]): Promise<string> {
  const said = new Promise<string>((resolve, reject) => {
    const listen = (stream: NodeJS.ReadableStream | null) => {
      if (!stream) return
      createInterface(stream).on('line', (line) => {
        log.push(line)
        const told = /Tracewright serves (\S+)/.exec(line)
        if (told?.[1]) resolve(told[1])
      })
    }
    listen(serving.stdout)
    listen(serving.stderr)
    serving.once('error', reject)
    serving.once('exit', (code) => reject(new Error(`the service ended with ${code}:\n${log.join('\n')}`)))
  })
  return said
}

async function end(serving: ChildProcess): Promise<void> {
  if (serving.exitCode !== null) return
  const over = new Promise((resolve) => serving.once('exit', resolve))
  serving.kill('SIGTERM')
  await over
}

/** Starts the binary. Where it carries no console, the built one is served in front of it. */
export async function startService(plantFolder: string): Promise<Service> {
  const copy: Plant = await copyPlant(plantFolder)
  const log: string[] = []
  const serving = spawn(binary(), ['serve', '--data', copy.folder, '--listen', '127.0.0.1:0'], {
    env: bareEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const direct = await address(serving, log)
  const front: Front | null = await serveInFront(direct)
  const url = front?.url ?? direct
  return {
    url,
    log,
    api: (username = 'admin') => connect(direct, username),
    stop: async () => {
      await front?.stop()
      await end(serving)
      await copy.remove()
    },
  }
}
