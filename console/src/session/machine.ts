/*
 * Who is signed in, as a state machine without side effects; store.ts does what it asks for.
 */

import type { ApiFailure } from '@/api/faults'
import type { FineScope } from '@/api/schema'

export type CoarseScope = 'admin' | 'library' | 'production' | 'operator' | 'quality' | 'warehouse' | 'viewer'
export type Scope = FineScope | CoarseScope

export interface Preferences {
  theme?: 'dark' | 'light'
  locale?: string | null
  display_font?: string | null
  home_page?: string | null
  printer?: string | null
  job_selection_layout?: 'card' | 'list'
  work_session_tabs_order?: string[]
  [further: string]: unknown
}

export interface Session {
  session_key: string
  user_key: string
  username: string
  name: string | null
  surname: string | null
  /** The words of the user's scope. */
  scope: string[]
  /** Every right that these words stand for, as the service judges them. */
  rights: ReadonlySet<string>
  preferences: Preferences
  /** Milliseconds without any input until the page locks; 0 means never. */
  idleAfter: number
  expires_at: string
}

/** Why the page is locked: `left` is a sign-out in another tab, `otherUser` a sign-in as somebody else there. */
export type Lock = 'expired' | 'ended' | 'idle' | 'left' | 'otherUser'

/** A password that has to be chosen, with the five-minute token that allows just that. It is only ever in memory. */
export interface PasswordChange {
  user_key: string
  username: string
  token: string
}

/** Of `signedOut`, `chosen` tells that somebody signed out: the next one does not come back to the same page. Of `signedIn`, `hidden` tells
 * that somebody may have walked away. It outlives the reason of the lock: a session that ends meanwhile uncovers nothing. */
export type SessionState =
  | { kind: 'starting' }
  | { kind: 'unreachable'; failure: ApiFailure }
  | { kind: 'signedOut'; change: PasswordChange | null; chosen: boolean }
  | { kind: 'signedIn'; session: Session; lock: Lock | null; hidden: boolean; change: PasswordChange | null }

export type SessionEvent =
  | { type: 'found'; session: Session; idle: boolean }
  | { type: 'absent'; now: number }
  | { type: 'failed'; failure: ApiFailure }
  | { type: 'mustChange'; change: PasswordChange }
  | { type: 'idle' }
  | { type: 'unlocked' }
  | { type: 'left' }
  | { type: 'otherUser' }
  | { type: 'signedOut' }
  | { type: 'preferences'; preferences: Preferences }

type SignedIn = Extract<SessionState, { kind: 'signedIn' }>

/** Whether what was done without a connection may be sent. The idle lock only hides the page: the user is still signed in. */
export function maySend(state: SessionState): boolean {
  return state.kind === 'signedIn' && (state.lock === null || state.lock === 'idle')
}

export function can(session: Session, scope: Scope): boolean {
  return scope.includes(':') ? session.rights.has(scope) : session.scope.includes(scope)
}

function whileSignedIn(state: SignedIn, event: SessionEvent): SessionState {
  switch (event.type) {
    case 'absent': {
      if (state.lock === 'otherUser' || state.lock === 'left') return state
      return { ...state, lock: Date.parse(state.session.expires_at) <= event.now ? 'expired' : 'ended' }
    }
    case 'idle':
      return state.hidden ? state : { ...state, lock: state.lock ?? 'idle', hidden: true }
    case 'unlocked':
      return state.lock === 'idle' ? { ...state, lock: null, hidden: false } : state
    case 'left':
      return { ...state, lock: 'left', hidden: true }
    case 'otherUser':
      return { ...state, lock: 'otherUser', hidden: true }
    case 'mustChange':
      return { ...state, change: event.change }
    case 'preferences':
      return { ...state, session: { ...state.session, preferences: event.preferences } }
    default:
      return state
  }
}

export function next(state: SessionState, event: SessionEvent): SessionState {
  if (event.type === 'found') {
    const { session, idle } = event
    return { kind: 'signedIn', session, lock: idle ? 'idle' : null, hidden: idle, change: null }
  }
  if (event.type === 'signedOut') return { kind: 'signedOut', change: null, chosen: true }
  if (state.kind === 'signedIn') return whileSignedIn(state, event)
  if (event.type === 'absent') return { kind: 'signedOut', change: null, chosen: false }
  if (event.type === 'failed') return { kind: 'unreachable', failure: event.failure }
  if (event.type === 'mustChange') return { kind: 'signedOut', change: event.change, chosen: true }
  return state
}
