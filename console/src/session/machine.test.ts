import { describe, expect, it } from 'vitest'
import { ApiFailure } from '@/api/faults'
import { can, maySend, next, type Session, type SessionState } from './machine'

const session: Session = {
  session_key: 's',
  user_key: 'mia',
  username: 'mia',
  name: 'Mia',
  surname: null,
  scope: ['operator', 'quality'],
  rights: new Set(['serial:read', 'traceability:event:create']),
  preferences: {},
  idleAfter: 1_800_000,
  expires_at: '2026-03-02T06:00:00.000Z',
}
const change = { user_key: 'mia', username: 'mia', token: 't' }
const before = Date.parse('2026-03-02T05:00:00.000Z')
const after = Date.parse('2026-03-02T06:00:00.000Z')
const signedIn: SessionState = { kind: 'signedIn', session, lock: null, hidden: false, change: null }
const failure = new ApiFailure({ status: 503, message: '' })

describe('the start', () => {
  const starting: SessionState = { kind: 'starting' }

  it('finds a session, none, or no service', () => {
    expect(next(starting, { type: 'found', session, idle: false })).toEqual(signedIn)
    expect(next(starting, { type: 'absent', now: before })).toMatchObject({ kind: 'signedOut', chosen: false })
    expect(next(starting, { type: 'failed', failure })).toEqual({ kind: 'unreachable', failure })
  })

  it('is locked if nobody was there for too long', () => {
    expect(next(starting, { type: 'found', session, idle: true })).toMatchObject({ lock: 'idle' })
  })

  it('asks for a new password where one is due', () => {
    expect(next({ kind: 'signedOut', change: null, chosen: true }, { type: 'mustChange', change })).toMatchObject({
      change,
    })
  })
})

describe('a session', () => {
  it('that is refused has expired, or was ended elsewhere; the page stays', () => {
    expect(next(signedIn, { type: 'absent', now: before })).toEqual({ ...signedIn, lock: 'ended' })
    expect(next(signedIn, { type: 'absent', now: after })).toEqual({ ...signedIn, lock: 'expired' })
  })

  it('goes on when the same user signs in', () => {
    const locked = next(signedIn, { type: 'absent', now: before })
    expect(next(locked, { type: 'found', session, idle: false })).toEqual(signedIn)
  })

  it('locks when idle, and a password opens only that lock', () => {
    const idle = next(signedIn, { type: 'idle' })
    expect(idle).toMatchObject({ lock: 'idle' })
    expect(next(idle, { type: 'unlocked' })).toEqual(signedIn)
    const ended = next(idle, { type: 'absent', now: before })
    expect(ended).toMatchObject({ lock: 'ended' })
    expect(next(ended, { type: 'unlocked' })).toBe(ended)
    expect(next(ended, { type: 'idle' })).toBe(ended)
  })

  it('never goes on under another name', () => {
    const other = next(signedIn, { type: 'otherUser' })
    expect(other).toMatchObject({ lock: 'otherUser' })
    expect(next(other, { type: 'absent', now: before })).toBe(other)
    expect(next(other, { type: 'unlocked' })).toBe(other)
  })

  it('stays through a failed attempt to read it', () => {
    expect(next(signedIn, { type: 'failed', failure })).toBe(signedIn)
  })

  it('can ask for a new password over the page', () => {
    const locked = next(signedIn, { type: 'absent', now: before })
    expect(next(locked, { type: 'mustChange', change })).toEqual({ ...signedIn, lock: 'ended', change })
  })

  it('ends by choice without a way back to the page', () => {
    expect(next(signedIn, { type: 'signedOut' })).toEqual({ kind: 'signedOut', change: null, chosen: true })
  })

  it('hides the page when somebody may have walked away', () => {
    for (const type of ['idle', 'left', 'otherUser'] as const) {
      expect(next(signedIn, { type })).toMatchObject({ lock: type, hidden: true })
    }
    for (const now of [before, after]) expect(next(signedIn, { type: 'absent', now })).toMatchObject({ hidden: false })
  })

  it('uncovers nothing by ending', () => {
    const idle = next(signedIn, { type: 'idle' })
    expect(next(idle, { type: 'absent', now: before })).toMatchObject({ lock: 'ended', hidden: true })
    expect(next(idle, { type: 'absent', now: after })).toMatchObject({ lock: 'expired', hidden: true })
    expect(next(idle, { type: 'found', session, idle: false })).toEqual(signedIn)
  })

  it('that has ended is hidden too when nobody is there', () => {
    const ended = next(signedIn, { type: 'absent', now: before })
    const idle = next(ended, { type: 'idle' })
    expect(idle).toMatchObject({ lock: 'ended', hidden: true })
    expect(next(idle, { type: 'unlocked' })).toBe(idle)
    expect(next(idle, { type: 'idle' })).toBe(idle)
  })

  it('sends what waits while it is idle, but not once it may be over', () => {
    expect(maySend(signedIn)).toBe(true)
    expect(maySend(next(signedIn, { type: 'idle' }))).toBe(true)
    expect(maySend(next(signedIn, { type: 'absent', now: before }))).toBe(false)
    for (const type of ['left', 'otherUser', 'signedOut'] as const) {
      expect(maySend(next(signedIn, { type }))).toBe(false)
    }
  })

  it('has rights by name, and words of its scope as whole words', () => {
    expect(can(session, 'serial:read')).toBe(true)
    expect(can(session, 'trace:read')).toBe(false)
    expect(can(session, 'operator')).toBe(true)
    expect(can(session, 'admin')).toBe(false)
  })
})
