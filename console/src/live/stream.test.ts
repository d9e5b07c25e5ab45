import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock, settled } from './fake-clock'
import { type LiveState, type Notice, type SourceHandlers, Stream } from './stream'

interface Opened {
  address: string
  handlers: SourceHandlers
  closed: boolean
}

let clock: FakeClock
let opened: Opened[]
let tickets: number
let refuseTickets: boolean
let states: LiveState[]
let notices: Notice[]
let opens: boolean[]
let stream: Stream

beforeEach(() => {
  clock = new FakeClock()
  opened = []
  tickets = 0
  refuseTickets = false
  states = []
  notices = []
  opens = []
  stream = new Stream({
    clock,
    ticket: async () => {
      tickets += 1
      if (refuseTickets) throw new Error('no answer')
      return `t${tickets}`
    },
    open: (address, _topics, handlers) => {
      const source = { address, handlers, closed: false }
      opened.push(source)
      return {
        close: () => {
          source.closed = true
        },
      }
    },
    notice: (notice) => notices.push(notice),
    opened: (first) => opens.push(first),
    changed: (state) => states.push(state),
  })
})

function last(): Opened {
  const source = opened.at(-1)
  if (!source) throw new Error('nothing was opened')
  return source
}

async function live(): Promise<void> {
  stream.start(['serial', 'user:mia'])
  stream.resume()
  await settled()
  last().handlers.opened()
}

describe('the event stream', () => {
  it('opens with a ticket for its topics', async () => {
    await live()
    expect(last().address).toBe('/api/notification/serial%2Cuser%3Amia?ticket=t1')
    expect(states).toEqual(['reconnecting', 'live'])
    expect(opens).toEqual([true])
  })

  it('hands on notices, and ignores what it can not read', async () => {
    await live()
    last().handlers.message('{"topic":"serial","notification":"SERIAL_CREATED","seq":7}', '7')
    last().handlers.message('not json', '8')
    last().handlers.message('[]', '9')
    expect(notices.map((notice) => notice.seq)).toEqual([7])
  })

  it('connects again behind the last message, with a new ticket', async () => {
    await live()
    last().handlers.message('{"topic":"serial","seq":7}', '7')
    last().handlers.message('{"topic":"serial","seq":8}', '')
    const first = last()
    first.handlers.broken()
    expect(first.closed).toBe(true)
    expect(stream.current).toBe('reconnecting')
    await clock.pass(2_999)
    expect(opened).toHaveLength(1)
    await clock.pass(1)
    expect(last().address).toContain('ticket=t2&last_event_id=7')
    last().handlers.opened()
    expect(stream.current).toBe('live')
    expect(opens).toEqual([true, false])
  })

  it('goes on behind what the service had nothing to say about', async () => {
    await live()
    last().handlers.message('{"topic":"serial","seq":7}', '7')
    last().handlers.passed('30')
    last().handlers.broken()
    await clock.pass(3_000)
    expect(last().address).toContain('last_event_id=30')
  })

  it('asks for nothing before it is to begin', async () => {
    stream.start(['serial'])
    await clock.pass(60_000)
    expect(tickets).toBe(0)
    expect(stream.current).toBe('off')
  })

  it('says that it is cut only after ten seconds, and waits longer each time', async () => {
    await live()
    refuseTickets = true
    last().handlers.broken()
    await clock.pass(9_999)
    expect(stream.current).toBe('reconnecting')
    await clock.pass(1)
    expect(stream.current).toBe('cut')
    await clock.pass(80_000)
    expect(tickets).toBe(1 + 5)
    refuseTickets = false
    await clock.pass(30_000)
    last().handlers.opened()
    expect(stream.current).toBe('live')
    last().handlers.broken()
    await clock.pass(3_000)
    expect(tickets).toBe(1 + 5 + 2)
  })

  it('does not listen to a source that it has given up', async () => {
    await live()
    const old = last()
    old.handlers.broken()
    old.handlers.message('{"topic":"serial","seq":9}', '9')
    old.handlers.broken()
    old.handlers.opened()
    expect(notices).toEqual([])
    await clock.pass(3_000)
    expect(opened).toHaveLength(2)
  })

  it('rests while nobody looks, and goes on where it was', async () => {
    await live()
    last().handlers.message('{"topic":"serial","seq":3}', '3')
    stream.pause()
    expect(last().closed).toBe(true)
    expect(stream.current).toBe('off')
    await clock.pass(60_000)
    expect(tickets).toBe(1)
    stream.resume()
    await settled()
    expect(last().address).toContain('last_event_id=3')
  })

  it('makes no attempt while the line is down', async () => {
    await live()
    stream.lineDown()
    expect(stream.current).toBe('cut')
    await clock.pass(60_000)
    expect(tickets).toBe(1)
    stream.resume()
    expect(stream.current).toBe('cut')
    await settled()
    last().handlers.opened()
    expect(stream.current).toBe('live')
  })

  it('forgets everything when it stops, even a ticket that is under way', async () => {
    stream.start(['serial'])
    stream.resume()
    stream.stop()
    await clock.pass(60_000)
    expect(opened).toHaveLength(0)
    expect(stream.current).toBe('off')
    stream.resume()
    await settled()
    expect(opened).toHaveLength(0)
  })
})
