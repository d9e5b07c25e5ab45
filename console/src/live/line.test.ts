import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from './fake-clock'
import { Line } from './line'

let clock: FakeClock
let pings: number
let reachable: boolean
let changes: boolean[]
let line: Line

beforeEach(() => {
  clock = new FakeClock()
  pings = 0
  reachable = true
  changes = []
  line = new Line({
    clock,
    ping: async () => {
      pings += 1
      if (!reachable) throw new TypeError('Failed to fetch')
    },
  })
  line.subscribe(() => changes.push(line.isUp()))
  line.start()
})

describe('the line', () => {
  it('is asked only while nothing else tells', async () => {
    for (let at = 0; at < 10; at += 1) {
      await clock.pass(15_000)
      line.heard(true)
    }
    expect(pings).toBe(0)
    await clock.pass(20_000)
    expect(pings).toBe(1)
  })

  it('is down as soon as one request gets no answer, and up with the first that does', async () => {
    reachable = false
    line.heard(false)
    expect(line.isUp()).toBe(false)
    await clock.pass(9_000)
    expect(pings).toBe(3)
    reachable = true
    await clock.pass(3_000)
    expect(changes).toEqual([false, true])
  })

  it('notices a silent break by itself', async () => {
    reachable = false
    await clock.pass(20_000)
    expect(changes).toEqual([false])
  })

  it('tells who asks when the answer is known', async () => {
    reachable = false
    await line.ask()
    expect(line.isUp()).toBe(false)
    reachable = true
    await line.ask()
    expect(line.isUp()).toBe(true)
  })

  it('is not asked any more once stopped', async () => {
    line.stop()
    await clock.pass(100_000)
    await line.ask()
    expect(pings).toBe(0)
  })
})
