import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from './fake-clock'
import { Hub } from './hub'
import type { Notice } from './stream'

let clock: FakeClock
let refetched: string[]
let stale: string[]
let hub: Hub

beforeEach(() => {
  clock = new FakeClock()
  refetched = []
  stale = []
  hub = new Hub({ clock, stale: (tag) => stale.push(tag), refetch: (tag) => refetched.push(tag) })
})

const notice = (topic: string, serial_key?: string): Notice => ({
  topic,
  serial_key,
  notification: 'SERIAL_UPDATED',
  seq: 1,
  event_key: 'e',
  timestamp: '2026-03-02T06:00:00.000Z',
})

describe('notices', () => {
  it('refetch what a page shows under their tag', () => {
    hub.subscribe(['serial'])
    hub.notice(notice('serial'))
    hub.notice(notice('production'))
    expect(refetched).toEqual(['serial'])
    expect(stale).toEqual(['serial', 'production'])
  })

  it('can be declined by a page that they are not about', () => {
    hub.subscribe(['serial'], (heard) => heard.serial_key === 'mine')
    hub.notice(notice('serial', 'other'))
    expect(refetched).toEqual([])
    expect(stale).toEqual(['serial'])
  })

  it('come together when there are many', async () => {
    hub.subscribe(['serial'])
    for (let at = 0; at < 50; at += 1) hub.notice(notice('serial'))
    expect(refetched).toHaveLength(1)
    await clock.pass(700)
    expect(refetched).toHaveLength(2)
    await clock.pass(5_000)
    expect(refetched).toHaveLength(2)
  })

  it('of the next moment are not lost if the first was declined', async () => {
    hub.subscribe(['serial'], (heard) => heard.serial_key === 'mine')
    hub.notice(notice('serial', 'other'))
    hub.notice(notice('serial', 'mine'))
    expect(refetched).toEqual([])
    await clock.pass(700)
    expect(refetched).toEqual(['serial'])
  })

  it('of one user have the tag of all users', () => {
    hub.subscribe(['user'])
    hub.notice(notice('user:mia'))
    expect(refetched).toEqual(['user'])
  })

  it('end with the page', () => {
    const leave = hub.subscribe(['serial'])
    leave()
    hub.notice(notice('serial'))
    expect(refetched).toEqual([])
  })
})
