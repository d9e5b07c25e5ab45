/*
 * The one session of the page, tied to the browser: tabs, input, and the cache of what was read.
 */

import { admitRequests, endRequests, onTokenEnded } from '@/api/client'
import { queryClient } from '@/api/query'
import { IdleClock, type IdleStorage } from './idle'
import { service } from './service'
import { SessionStore, type TabMessage } from './store'

const lastInput = 'tracewright.lastInput'

const storage: IdleStorage = {
  get: () => {
    try {
      return localStorage.getItem(lastInput)
    } catch {
      return null
    }
  },
  set: (value) => {
    try {
      localStorage.setItem(lastInput, value)
    } catch {
      // Without storage each tab locks by its own clock only.
    }
  },
}

const idle = new IdleClock(storage, Date.now)
const tabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('tracewright.session')

export const sessionStore = new SessionStore({
  service,
  now: Date.now,
  tell: (message) => tabs?.postMessage(message),
  idle,
  forget: () => queryClient.clear(),
  endRequests,
  admitRequests,
  refresh: () => void queryClient.invalidateQueries(),
})

/** Whether nobody has signed in here before, as far as the browser knows. */
export function isNewHere(): boolean {
  return sessionStore.getState().kind !== 'signedIn' && storage.get() === null
}

/** Reads who is signed in, and begins to watch. Called once, by main.tsx. */
export function startSession(): void {
  onTokenEnded(sessionStore.tokenEnded)
  tabs?.addEventListener('message', (event: MessageEvent<TabMessage>) => sessionStore.heard(event.data))
  for (const type of ['pointerdown', 'keydown', 'wheel', 'touchstart']) {
    addEventListener(type, sessionStore.touched, { capture: true, passive: true })
  }
  setInterval(sessionStore.watchIdle, 5_000)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible') return
    sessionStore.watchIdle()
    void sessionStore.check()
  })
  void sessionStore.load()
}
