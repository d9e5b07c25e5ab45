import { afterEach, describe, expect, it, vi } from 'vitest'
import { FakeClock } from '@/live/fake-clock'
import { followActs, LastAnswer, SUCCESS_STANDS } from './last-answer'

const good = { ok: true, text: 'PM4-0002 is in PB7-00002' }
const bad = { ok: false, text: 'No unit has the code X' }
const HOUR = 3_600_000

function board() {
  const clock = new FakeClock()
  return { clock, last: new LastAnswer<typeof good>(clock) }
}

describe('the answer to a scan', () => {
  it('fades after some seconds if it told of success, and keeps its room', async () => {
    const { clock, last } = board()
    last.say(good)
    await clock.pass(SUCCESS_STANDS - 1)
    expect(last.current()).toEqual({ answer: good, faded: false })
    await clock.pass(1)
    expect(last.current()).toEqual({ answer: good, faded: true })
  })

  it('stays if it was a refusal, until the operator does something', async () => {
    const { clock, last } = board()
    last.say(bad)
    await clock.pass(HOUR)
    expect(last.current()).toEqual({ answer: bad, faded: false })
    last.acted()
    expect(last.current()).toBeNull()
  })

  it('gives way at once when the operator does something', async () => {
    const { clock, last } = board()
    last.say(good)
    last.acted()
    expect(last.current()).toBeNull()
    await clock.pass(HOUR)
    expect(last.current()).toBeNull()
  })

  it('has its own time: that of the one before does not end it', async () => {
    const { clock, last } = board()
    last.say(good)
    await clock.pass(SUCCESS_STANDS - 1)
    last.say(bad)
    await clock.pass(HOUR)
    expect(last.current()).toEqual({ answer: bad, faded: false })
    last.say(good)
    await clock.pass(SUCCESS_STANDS - 1)
    last.say({ ...good })
    await clock.pass(SUCCESS_STANDS - 1)
    expect(last.current()?.faded).toBe(false)
  })

  it('tells those who show it of every change, and of nothing else', async () => {
    const { clock, last } = board()
    let told = 0
    const leave = last.subscribe(() => {
      told += 1
    })
    last.acted()
    expect(told).toBe(0)
    last.say(good)
    await clock.pass(HOUR)
    last.acted()
    expect(told).toBe(3)
    leave()
    last.say(bad)
    expect(told).toBe(3)
  })
})

describe('what the operator does', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('ends only what stood then', async () => {
    const { clock, last } = board()
    last.say(good)
    last.acting()
    last.say(bad)
    await clock.pass(0)
    expect(last.current()?.answer).toBe(bad)
    last.acting()
    expect(last.current()?.answer).toBe(bad)
    await clock.pass(0)
    expect(last.current()).toBeNull()
  })

  it('reaches the page before the answer goes', async () => {
    class Field extends EventTarget {
      value = ''
      closest = () => this
    }
    const page = new EventTarget()
    vi.stubGlobal('document', page)
    vi.stubGlobal('Element', Field)
    const { clock, last } = board()
    const leave = followActs(last.acting)
    // A field that React controls: drawn anew it holds what is known, and a value that is known is no change.
    const field = new Field()
    let known = ''
    last.subscribe(() => {
      field.value = known
    })
    page.addEventListener('input', () => {
      known = field.value
    })
    last.say(bad)
    for (const key of '25') {
      field.value += key
      const event = new Event('input')
      Object.defineProperty(event, 'target', { value: field })
      page.dispatchEvent(event)
      await clock.pass(100)
    }
    leave()
    expect(known).toBe('25')
    expect(last.current()).toBeNull()
  })
})
