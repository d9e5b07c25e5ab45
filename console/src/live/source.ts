/*
 * One connection to the event stream. It is read piece by piece rather than by `EventSource`, which does not tell of the service's signs of
 * life: only so can a connection that died silently be told from a quiet plant.
 */

import type { Clock } from './clock'
import { EventParser } from './event-parser'
import type { Source, SourceHandlers } from './stream'

export interface SourceParts {
  clock: Clock
  fetch(address: string, signal: AbortSignal): Promise<Response>
}

/** The service says something every 15 seconds. */
export const silence = 30_000

export function openSource(parts: SourceParts, address: string, topics: string[], handlers: SourceHandlers): Source {
  const ended = new AbortController()
  let cancelSilence: () => void = () => undefined
  const close = () => {
    cancelSilence()
    ended.abort()
  }
  const broken = () => {
    if (ended.signal.aborted) return
    close()
    handlers.broken()
  }
  const alive = () => {
    cancelSilence()
    cancelSilence = parts.clock.after(silence, broken)
  }

  const hear = (parser: EventParser, piece: string) => {
    for (const { type, data, id } of parser.read(piece)) {
      if (ended.signal.aborted) return
      if (data === null) handlers.passed(id)
      else if (topics.includes(type)) handlers.message(data, id)
    }
  }

  const run = async () => {
    const response = await parts.fetch(address, ended.signal)
    const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream')
    if (!response.ok || !isStream || response.body === null) return
    alive()
    handlers.opened()
    const reader = response.body.getReader()
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    const parser = new EventParser()
    for (let part = await reader.read(); !part.done && !ended.signal.aborted; part = await reader.read()) {
      alive()
      hear(parser, decoder.decode(part.value, { stream: true }))
    }
  }

  alive()
  run().then(broken, broken)
  return { close }
}
