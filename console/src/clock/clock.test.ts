import { describe, expect, it } from 'vitest'
import { ServiceClock } from './clock'

const told = (ms: number) => new Date(ms).toUTCString()
const base = Date.parse('2026-11-17T10:00:00Z')

describe('the time of the service', () => {
  it('is not known before an answer', () => {
    const clock = new ServiceClock(() => 0)
    expect(clock.time()).toBeNull()
    expect(clock.stamp('j')).toEqual({})
    clock.note(null, 0, 1)
    clock.note('rubbish', 0, 1)
    expect(clock.time()).toBeNull()
  })
  it('follows a device that is an hour behind', () => {
    const device = base - 3_600_000
    const clock = new ServiceClock(() => device)
    clock.note(told(base), device, device + 20)
    expect(Math.abs((clock.time() ?? 0) - base - 490)).toBeLessThan(20)
  })
  it('is narrowed down by further answers', () => {
    const clock = new ServiceClock(() => base)
    clock.note(told(base), base, base)
    clock.note(told(base), base + 900, base + 900)
    expect(clock.time()).toBeGreaterThanOrEqual(base - 1)
    expect(clock.time()).toBeLessThan(base + 100)
  })
  it('begins anew after the service’s clock was set, or the device slept', () => {
    let device = base
    const clock = new ServiceClock(() => device)
    clock.note(told(base), base, base)
    device = base + 600_000
    clock.note(told(base), device, device)
    expect(Math.abs((clock.time() ?? 0) - base)).toBeLessThan(1000)
  })
  it('is not known after the device slept, until the next answer', () => {
    let device = base
    const clock = new ServiceClock(
      () => 0,
      undefined,
      () => device,
    )
    clock.note(told(base), 0, 1)
    device += 4_000
    expect(clock.time()).not.toBeNull()
    device += 3_600_000
    expect(clock.time()).toBeNull()
    expect(clock.stamp('j')).toEqual({})
    clock.note(told(device), 0, 1)
    expect(Math.abs((clock.time() ?? 0) - device)).toBeLessThan(1000)
  })
  it('never stamps before what it ends began', () => {
    const clock = new ServiceClock(() => base)
    clock.note(told(base), base, base)
    const began = '2026-11-17T10:00:05.000Z'
    expect(clock.stamp('j', null, undefined, began)).toEqual({ timestamp: began })
    expect(Date.parse(clock.stamp('k', '2026-11-17T09:00:00.000Z').timestamp ?? '')).toBeGreaterThanOrEqual(base)
  })
  it('never stamps before what was stamped for the same job', () => {
    let passed = 1000
    const clock = new ServiceClock(() => passed)
    clock.note(told(base), passed, passed)
    const first = clock.stamp('j').timestamp ?? ''
    passed = 0
    expect(clock.stamp('j')).toEqual({ timestamp: first })
    expect(Date.parse(clock.stamp('k').timestamp ?? '')).toBeLessThan(Date.parse(first))
  })
  it('notes the time of an answer', async () => {
    const clock = new ServiceClock(() => 0)
    const response = new Response(null, { headers: { Date: told(base) } })
    expect(await clock.timed(async () => ({ response }))).toEqual({ response })
    expect(Math.abs((clock.time() ?? 0) - base)).toBeLessThan(1000)
  })
})
