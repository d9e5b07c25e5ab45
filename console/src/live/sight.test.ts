import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from './fake-clock'
import { streamInSight } from './sight'
import type { LiveState } from './stream'

let clock: FakeClock
let hidden: boolean
let changed: () => void
let acts: string[]

const stream = {
  current: 'off' as LiveState,
  pause: () => {
    acts.push('pause')
    stream.current = 'off'
  },
  resume: () => {
    acts.push('resume')
    stream.current = 'live'
  },
}

function begin(): () => void {
  return streamInSight(
    {
      clock,
      isHidden: () => hidden,
      onChange: (call) => {
        changed = call
        return () => {
          changed = () => undefined
        }
      },
    },
    stream,
  )
}

function look(at: boolean): void {
  hidden = !at
  changed()
}

beforeEach(() => {
  clock = new FakeClock()
  hidden = false
  acts = []
  stream.current = 'off'
})

describe('a page', () => {
  it('that begins hidden opens no stream until somebody looks', async () => {
    hidden = true
    begin()
    await clock.pass(60_000)
    expect(acts).toEqual([])
    look(true)
    expect(acts).toEqual(['resume'])
  })

  it('gives its stream back some seconds after it was hidden', async () => {
    begin()
    look(false)
    await clock.pass(4_999)
    expect(acts).toEqual(['resume'])
    await clock.pass(1)
    expect(acts).toEqual(['resume', 'pause'])
    look(true)
    expect(acts).toEqual(['resume', 'pause', 'resume'])
  })

  it('keeps its stream if somebody is back at once', async () => {
    begin()
    look(false)
    await clock.pass(3_000)
    look(true)
    await clock.pass(60_000)
    expect(acts).toEqual(['resume'])
  })

  it('does nothing more once nobody is signed in', async () => {
    const end = begin()
    look(false)
    end()
    await clock.pass(60_000)
    look(true)
    expect(acts).toEqual(['resume'])
  })
})
