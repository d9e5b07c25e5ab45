import { beforeEach, expect, it, vi } from 'vitest'
import { FakeClock, settled } from './fake-clock'
import { openSource, silence } from './source'
import type { Source } from './stream'

let clock: FakeClock
let wire: ReadableStreamDefaultController<Uint8Array>
let signal: AbortSignal
let source: Source
const handlers = { opened: vi.fn(), message: vi.fn(), passed: vi.fn(), broken: vi.fn() }

const stream = (type = 'text/event-stream', status = 200) => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      wire = controller
    },
  })
  return new Response(body, { status, headers: { 'Content-Type': type } })
}

async function open(answer: () => Response | Promise<Response> = stream): Promise<void> {
  const fetch = async (_: string, asked: AbortSignal) => {
    signal = asked
    return answer()
  }
  source = openSource({ clock, fetch }, '/api/notification/serial', ['serial'], handlers)
  await settled()
}

async function say(text: string): Promise<void> {
  wire.enqueue(new TextEncoder().encode(text))
  await settled()
}

beforeEach(() => {
  clock = new FakeClock()
  vi.clearAllMocks()
})

it('hands on messages of its topics, and how far the stream has come', async () => {
  await open()
  expect(handlers.opened).toHaveBeenCalledOnce()
  await say('retry: 3000\n\nid: 7\nevent: serial\ndata: {"topic":')
  await say('"serial"}\n\nevent: other\ndata: {}\n\n:\nid: 9\n\n')
  expect(handlers.message.mock.calls).toEqual([['{"topic":"serial"}', '7']])
  expect(handlers.passed.mock.calls).toEqual([['9']])
})

it('reads letters that come in two pieces', async () => {
  await open()
  const bytes = new TextEncoder().encode('event: serial\ndata: é\n\n')
  const middle = bytes.indexOf(0xc3) + 1
  wire.enqueue(bytes.slice(0, middle))
  wire.enqueue(bytes.slice(middle))
  await settled()
  expect(handlers.message).toHaveBeenCalledWith('é', '')
})

it('is broken after half a minute of silence, not while the service says that it is alive', async () => {
  await open()
  for (let at = 0; at < 10; at += 1) {
    await clock.pass(15_000)
    await say(':\n\n')
  }
  expect(handlers.broken).not.toHaveBeenCalled()
  await clock.pass(silence - 1)
  expect(handlers.broken).not.toHaveBeenCalled()
  await clock.pass(1)
  expect(handlers.broken).toHaveBeenCalledOnce()
  expect(signal.aborted).toBe(true)
})

it('is broken, too, if no answer comes at all', async () => {
  await open(() => new Promise(() => undefined))
  await clock.pass(silence)
  expect(handlers.opened).not.toHaveBeenCalled()
  expect(handlers.broken).toHaveBeenCalledOnce()
})

it('is broken when the stream ends, is cut or is refused', async () => {
  await open()
  wire.close()
  await settled()
  expect(handlers.broken).toHaveBeenCalledTimes(1)
  await open()
  wire.error(new TypeError('network error'))
  await settled()
  expect(handlers.broken).toHaveBeenCalledTimes(2)
  await open(() => stream('application/json', 401))
  expect(handlers.broken).toHaveBeenCalledTimes(3)
  await open(() => stream('text/html'))
  expect(handlers.broken).toHaveBeenCalledTimes(4)
  expect(handlers.opened).toHaveBeenCalledTimes(2)
})

it('says nothing more once it is closed', async () => {
  await open()
  source.close()
  expect(signal.aborted).toBe(true)
  await say('event: serial\ndata: {}\n\n')
  await clock.pass(100_000)
  expect(handlers.message).not.toHaveBeenCalled()
  expect(handlers.broken).not.toHaveBeenCalled()
})
