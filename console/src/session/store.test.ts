import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiFailure } from '@/api/faults'
import { settled } from '@/live/fake-clock'
import { IdleClock } from './idle'
import type { PasswordChange, Session } from './machine'
import { SessionStore, type TabMessage } from './store'

const ended = new ApiFailure({ status: 401, message: 'The token is not valid.', code: 'token' })

function sessionOf(user_key: string): Session {
  return {
    session_key: `s-${user_key}`,
    user_key,
    username: user_key,
    name: null,
    surname: null,
    scope: [],
    rights: new Set(),
    preferences: {},
    idleAfter: 60_000,
    expires_at: '2099-01-01T00:00:00.000Z',
  }
}

let now: number
/** Whom the cookie stands for. */
let cookie: string | null
let due: PasswordChange | null
let cutLine: boolean
/** The status that the end of a session is refused with. */
let refusal: number | null
/** Whether the service has a session. */
let open: boolean
let keepCookie: boolean
let told: TabMessage[]
let stored: string | null
const forget = vi.fn()
const refresh = vi.fn()
/** Whether requests of a user may go out. */
let admitted: boolean
let store: SessionStore
/** Holds the first answer back. */
let slow: Promise<void> | null

function reach<T>(value: T): T {
  if (cutLine) throw new ApiFailure({ status: 0, message: '' })
  if (cookie === null || !open) throw ended
  return value
}

beforeEach(() => {
  now = 1_000_000
  cookie = null
  due = null
  cutLine = false
  refusal = null
  open = true
  keepCookie = false
  slow = null
  told = []
  stored = null
  admitted = true
  forget.mockClear()
  refresh.mockClear()
  store = new SessionStore({
    service: {
      current: async () => {
        const asked = cookie
        const wait = slow
        slow = null
        await wait
        const session = reach(sessionOf(asked ?? ''))
        if (asked === null) throw ended
        return session
      },
      whoami: async () => reach(cookie ?? ''),
      signIn: async (username, password) => {
        if (password !== 'right') throw new ApiFailure({ status: 401, message: 'Wrong.', code: 'credentials' })
        if (due) return due
        cookie = username
        open = true
        return null
      },
      changePassword: async () => {
        due = null
      },
      verify: async (_user, password) => {
        reach(null)
        if (password !== 'right') throw new ApiFailure({ status: 401, message: 'Wrong.', code: 'credentials' })
      },
      close: async () => {
        if (refusal !== null) throw new ApiFailure({ status: refusal, message: 'No.' })
        reach(null)
        open = false
      },
      dropCookie: async () => {
        if (cutLine || keepCookie) throw new ApiFailure({ status: 0, message: '' })
        cookie = null
      },
      savePreferences: async (preferences) => preferences,
    },
    now: () => now,
    tell: (message) => told.push(message),
    idle: new IdleClock(
      {
        get: () => stored,
        set: (value) => {
          stored = value
        },
      },
      () => now,
    ),
    forget,
    endRequests: () => {
      admitted = false
    },
    admitRequests: () => {
      admitted = true
    },
    refresh,
  })
})

const lock = () => {
  const state = store.getState()
  return state.kind === 'signedIn' ? state.lock : state.kind
}

async function signIn(): Promise<void> {
  await store.load()
  await store.signIn('mia', 'right')
  expect(lock()).toBeNull()
}

describe('signing in', () => {
  it('finds nobody at first, then the user, and tells the other tabs', async () => {
    await store.load()
    expect(lock()).toBe('signedOut')
    await expect(store.signIn('mia', 'wrong')).rejects.toMatchObject({ message: 'Wrong.' })
    await store.signIn('mia', 'right')
    expect(lock()).toBeNull()
    expect(told).toEqual([{ kind: 'signedIn', user_key: 'mia' }])
  })

  it('asks for a new password first, and then signs in with it', async () => {
    await store.load()
    due = { user_key: 'mia', username: 'mia', token: 't' }
    await store.signIn('mia', 'right')
    expect(store.getState()).toMatchObject({ kind: 'signedOut', change: { token: 't' } })
    await store.choosePassword('right')
    expect(lock()).toBeNull()
  })

  it('says that the service can not be reached', async () => {
    cutLine = true
    await store.load()
    expect(lock()).toBe('unreachable')
  })

  it('is not undone by an answer from before', async () => {
    await store.load()
    let answer = () => {}
    slow = new Promise((resolve) => {
      answer = resolve
    })
    const before = store.load()
    await store.signIn('mia', 'right')
    answer()
    await before
    expect(lock()).toBeNull()
  })
})

describe('a refused token', () => {
  it('locks the page; the request goes on once the same user has signed in', async () => {
    await signIn()
    cookie = null
    now += 10
    const first = store.tokenEnded(now)
    const second = store.tokenEnded(now)
    expect(lock()).toBe('ended')
    await store.unlock('right')
    expect(await Promise.all([first, second])).toEqual([true, true])
    expect(lock()).toBeNull()
    expect(refresh).toHaveBeenCalledOnce()
    expect(forget).not.toHaveBeenCalled()
  })

  it('of a request from before the new sign-in does not lock again', async () => {
    await signIn()
    const sentAt = now - 5
    expect(await store.tokenEnded(sentAt)).toBe(true)
    expect(lock()).toBeNull()
  })

  it('ends the request if the page is left', async () => {
    await signIn()
    cookie = null
    now += 10
    const waiting = store.tokenEnded(now)
    await store.abandon()
    expect(await waiting).toBe(false)
    expect(lock()).toBe('signedOut')
    expect(forget).toHaveBeenCalled()
  })

  it('means nothing while nobody is signed in', async () => {
    expect(await store.tokenEnded(now)).toBe(false)
  })
})

describe('the idle lock', () => {
  it('opens with the password, without a new session', async () => {
    await signIn()
    store.idleOver()
    expect(lock()).toBe('idle')
    await expect(store.unlock('wrong')).rejects.toMatchObject({ message: 'Wrong.' })
    await store.unlock('right')
    expect(lock()).toBeNull()
    expect(told).toHaveLength(1)
  })

  it('signs in anew if the session ended meanwhile', async () => {
    await signIn()
    store.idleOver()
    cookie = null
    await store.unlock('right')
    expect(lock()).toBeNull()
    expect(cookie).toBe('mia')
  })

  it('keeps the page hidden if the session ended meanwhile, whatever is typed', async () => {
    await signIn()
    store.idleOver()
    cookie = null
    await expect(store.unlock('wrong')).rejects.toMatchObject({ message: 'Wrong.' })
    expect(store.getState()).toMatchObject({ lock: 'ended', hidden: true })
    await expect(store.unlock('wrong')).rejects.toMatchObject({ message: 'Wrong.' })
    expect(store.getState()).toMatchObject({ hidden: true })
    await store.unlock('right')
    expect(store.getState()).toMatchObject({ lock: null, hidden: false })
  })

  it('keeps the page hidden when a request finds the session ended', async () => {
    await signIn()
    store.idleOver()
    now += 10
    void store.tokenEnded(now)
    expect(store.getState()).toMatchObject({ lock: 'ended', hidden: true })
  })

  it('hides a page whose session has ended', async () => {
    await signIn()
    now += 10
    void store.tokenEnded(now)
    expect(store.getState()).toMatchObject({ lock: 'ended', hidden: false })
    now += 50_000
    store.watchIdle()
    expect(store.getState()).toMatchObject({ lock: 'ended', hidden: false })
    now += 10_000
    store.watchIdle()
    expect(store.getState()).toMatchObject({ lock: 'ended', hidden: true })
  })

  it('is not opened by a late key and a reload', async () => {
    await signIn()
    now += 60_000
    store.touched()
    expect(lock()).toBe('idle')
    store.touched()
    expect(stored).toBe('1000000')
  })

  it('waits for as long as somebody is there', async () => {
    await signIn()
    now += 59_000
    store.touched()
    now += 59_000
    store.watchIdle()
    expect(lock()).toBeNull()
  })

  it('survives a reload', async () => {
    cookie = 'mia'
    stored = String(now - 60_000)
    await store.load()
    expect(lock()).toBe('idle')
  })

  it('does not meet whoever has just signed in', async () => {
    stored = String(now - 600_000)
    await signIn()
  })
})

describe('other tabs', () => {
  it('that sign in as somebody else stop this one', async () => {
    await signIn()
    cookie = 'ben'
    store.heard({ kind: 'signedIn', user_key: 'ben' })
    expect(lock()).toBe('otherUser')
    await store.abandon()
    expect(store.getState()).toMatchObject({ kind: 'signedIn', lock: null, session: { user_key: 'ben' } })
    expect(forget).toHaveBeenCalled()
  })

  it('that sign in as the same user open this one', async () => {
    await signIn()
    store.heard({ kind: 'signedOut' })
    expect(lock()).toBe('left')
    store.heard({ kind: 'signedIn', user_key: 'mia' })
    await settled()
    expect(lock()).toBeNull()
  })

  it('are noticed late, too, when the page is looked at again', async () => {
    await signIn()
    cookie = 'ben'
    await store.check()
    expect(lock()).toBe('otherUser')
  })
})

describe('requests', () => {
  it('of a user end with the sign-out, and the next one’s go out', async () => {
    await signIn()
    await store.signOut()
    expect(admitted).toBe(false)
    await store.signIn('ben', 'right')
    expect(admitted).toBe(true)
  })

  it('of a locked page end when it is left to somebody else', async () => {
    await signIn()
    cookie = null
    now += 10
    void store.tokenEnded(now)
    expect(admitted).toBe(true)
    await store.abandon()
    expect(admitted).toBe(false)
  })

  it('do not go out as the user of another tab', async () => {
    await signIn()
    cookie = 'ben'
    store.heard({ kind: 'signedIn', user_key: 'ben' })
    expect(admitted).toBe(false)
    await store.abandon()
    expect(admitted).toBe(true)
  })
})

describe('signing out', () => {
  it('ends the session, forgets what was read, and tells the other tabs', async () => {
    await signIn()
    await store.signOut()
    expect(lock()).toBe('signedOut')
    expect(cookie).toBeNull()
    expect(forget).toHaveBeenCalled()
    expect(told.at(-1)).toEqual({ kind: 'signedOut' })
  })

  it('is not pretended when the line is cut', async () => {
    await signIn()
    cutLine = true
    await expect(store.signOut()).rejects.toMatchObject({ offline: true })
    expect(lock()).toBeNull()
  })

  it.each([403, 429, 500, 502, 503, 504])('is not pretended when the service answers %i', async (status) => {
    await signIn()
    refusal = status
    await expect(store.signOut()).rejects.toMatchObject({ status })
    expect(lock()).toBeNull()
    expect(cookie).toBe('mia')
    expect(forget).not.toHaveBeenCalled()
    expect(told).toHaveLength(1)
  })

  it('works for a session that is over already, and drops the cookie', async () => {
    await signIn()
    open = false
    await store.signOut()
    expect(lock()).toBe('signedOut')
    expect(cookie).toBeNull()
  })

  it('can be tried again if only the cookie is left', async () => {
    await signIn()
    keepCookie = true
    await expect(store.signOut()).rejects.toMatchObject({ offline: true })
    keepCookie = false
    await store.signOut()
    expect(lock()).toBe('signedOut')
    expect(cookie).toBeNull()
  })
})
