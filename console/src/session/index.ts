import { createContext, useContext, useMemo, useSyncExternalStore } from 'react'
import { sessionStore } from './browser'
import { can, type Preferences, type Scope, type Session, type SessionState } from './machine'

export { sessionStore } from './browser'
export { type Lock, maySend, type Preferences, type Scope, type Session } from './machine'

/** What the frame shows depends on this; pages use `useSession`. */
export function useSessionState(): SessionState {
  return useSyncExternalStore(sessionStore.subscribe, sessionStore.getState)
}

/** The frame puts the session here for everything that is shown only to signed-in users. */
export const SessionContext = createContext<Session | null>(null)

export interface SignedIn extends Omit<Session, 'rights' | 'idleAfter' | 'session_key'> {
  /** Whether the user has a right (`serial:read`), or a word in their scope (`operator`). */
  can(scope: Scope): boolean
}

/** Who is signed in. Only within the shell, where somebody always is. */
export function useSession(): SignedIn {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useSession is only for pages behind the sign-in')
  return useMemo(() => {
    const { user_key, username, name, surname, scope, preferences, expires_at } = session
    return { user_key, username, name, surname, scope, preferences, expires_at, can: (wanted) => can(session, wanted) }
  }, [session])
}

/** Merges a change into the user's preferences; null removes a member. */
export function savePreferences(change: Preferences): Promise<void> {
  return sessionStore.savePreferences(change)
}

/** The name of a person, as the console shows it. */
export function fullName(person: { name?: string | null; surname?: string | null; username?: string | null }): string {
  return [person.name, person.surname].filter(Boolean).join(' ') || (person.username ?? '')
}
