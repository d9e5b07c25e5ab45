import { describe, expect, it, vi } from 'vitest'
import { beatEvery, Heart } from './heart'

function parts(active = true) {
  const beats: (() => void)[] = []
  return {
    beats,
    isAway: vi.fn(() => false),
    beat: vi.fn(async () => active),
    onEnd: vi.fn(),
    every: vi.fn((_: number, act: () => void) => {
      beats.push(act)
      return () => void beats.splice(beats.indexOf(act), 1)
    }),
  }
}

describe('heartbeats', () => {
  it('come three times in the time of silence', () => {
    expect(beatEvery(300)).toBe(100_000)
    expect(beatEvery('30')).toBe(10_000)
    expect(beatEvery(1)).toBe(500)
    expect(beatEvery(86_400)).toBe(100_000)
    expect(beatEvery(0)).toBeNull()
  })
  it('begin at once, and once for each session', () => {
    const made = parts()
    const heart = new Heart(made)
    heart.follow('j', 's1', 300)
    heart.follow('j', 's1', 300)
    expect(made.beat).toHaveBeenCalledTimes(1)
    heart.follow('j', 's2', 300)
    expect(made.beat).toHaveBeenLastCalledWith('j', 's2')
    expect(made.beats).toHaveLength(1)
  })
  it('stop when the session is over, and say so', async () => {
    const made = parts(false)
    new Heart(made).follow('j', 's', 300)
    await vi.waitFor(() => expect(made.onEnd).toHaveBeenCalledWith('j'))
    expect(made.beats).toHaveLength(0)
  })
  it('outlive a line that is cut', async () => {
    const made = parts()
    made.beat.mockRejectedValueOnce(new Error('no answer'))
    const heart = new Heart(made)
    heart.follow('j', 's', 300)
    await Promise.resolve()
    expect(made.beats).toHaveLength(1)
    heart.dropAll()
    expect(made.beats).toHaveLength(0)
  })
  it('are left out while nobody is there, and go on afterwards', () => {
    const made = parts()
    made.isAway.mockReturnValue(true)
    new Heart(made).follow('j', 's', 300)
    made.beats[0]?.()
    expect(made.beat).not.toHaveBeenCalled()
    made.isAway.mockReturnValue(false)
    made.beats[0]?.()
    expect(made.beat).toHaveBeenCalledOnce()
  })
  it('stay silent where silence pauses nothing', () => {
    const made = parts()
    new Heart(made).follow('j', 's', 0)
    expect(made.beat).not.toHaveBeenCalled()
  })
})
