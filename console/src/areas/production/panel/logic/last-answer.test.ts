import { describe, expect, it } from 'vitest'
import { FakeClock } from '@/live/fake-clock'
import { LastAnswer, SUCCESS_STANDS } from './last-answer'

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
