/*
 * Runs the state machine: asks the service, tells other tabs, and lets refused requests wait until somebody has signed in again.
 */

import { failureOf } from '@/api/faults'
import type { IdleClock } from './idle'
import { next, type Preferences, type SessionEvent, type SessionState } from './machine'
import type { SessionService } from './service'

export type TabMessage = { kind: 'signedIn'; user_key: string } | { kind: 'signedOut' }

export interface StoreParts {
  service: SessionService
  now(): number
  /** Tells the other tabs of this browser. */
  tell(message: TabMessage): void
  idle: IdleClock
  /** Drops everything that was read for the user who has left. */
  forget(): void
  /** Ends the requests of the user who has left; nothing more is sent until somebody is admitted. */
  endRequests(): void
  admitRequests(): void
  /** Reads again what the page shows. */
  refresh(): void
}

interface Waiter {
  userKey: string
  resolve(renewed: boolean): void
}

export class SessionStore {
  private state: SessionState = { kind: 'starting' }
  private listeners = new Set<() => void>()
  private waiters: Waiter[] = []
  private renewedAt = 0
  private newest: Promise<void> = Promise.resolve()

  constructor(private readonly parts: StoreParts) {}

  readonly getState = (): SessionState => this.state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private dispatch(event: SessionEvent): void {
    const before = this.state
    this.state = next(before, event)
    if (this.state === before) return
    if (event.type === 'signedOut' || event.type === 'otherUser') this.parts.endRequests()
    if (event.type === 'found') this.parts.admitRequests()
    this.settleWaiters()
    for (const listener of this.listeners) listener()
  }

  private settleWaiters(): void {
    const { state } = this
    this.waiters = this.waiters.filter((waiter) => {
      const same = state.kind === 'signedIn' && state.session.user_key === waiter.userKey
      if (same && state.lock !== null) return true
      waiter.resolve(same)
      return false
    })
  }

  private get userKey(): string | null {
    return this.state.kind === 'signedIn' ? this.state.session.user_key : null
  }

  /** Finds out who is signed in, at the start and after every sign-in. If it is asked again meanwhile, the newest answer counts. */
  load(): Promise<void> {
    const load: Promise<void> = this.ask(() => load === this.newest)
    this.newest = load
    return load
  }

  private async ask(isNewest: () => boolean): Promise<void> {
    try {
      const session = await this.parts.service.current()
      if (!isNewest()) return this.newest
      const before = this.userKey
      if (before !== null && before !== session.user_key) {
        this.parts.forget()
        this.parts.endRequests()
      }
      this.renewedAt = this.parts.now()
      this.dispatch({ type: 'found', session, idle: before === null && this.parts.idle.isOver(session.idleAfter) })
      if (before === session.user_key) this.parts.refresh()
    } catch (error) {
      if (!isNewest()) return this.newest
      const failure = failureOf(error)
      if (failure.status === 401 || failure.status === 403) this.dispatch({ type: 'absent', now: this.parts.now() })
      else this.dispatch({ type: 'failed', failure })
    }
  }

  async signIn(username: string, password: string): Promise<void> {
    const change = await this.parts.service.signIn(username, password)
    if (change) return this.dispatch({ type: 'mustChange', change })
    this.parts.idle.touch()
    await this.load()
    if (this.state.kind === 'unreachable') throw this.state.failure
    if (this.userKey !== null) this.parts.tell({ kind: 'signedIn', user_key: this.userKey })
  }

  /** Sets the password that has to be chosen, and signs in with it. */
  async choosePassword(password: string): Promise<void> {
    const { state } = this
    const change = state.kind === 'signedIn' || state.kind === 'signedOut' ? state.change : null
    if (!change) throw new Error('no password has to be chosen')
    await this.parts.service.changePassword(change, password)
    await this.signIn(change.username, password)
  }

  /** Opens the lock with the password of the user who is signed in. */
  async unlock(password: string): Promise<void> {
    const { state } = this
    if (state.kind !== 'signedIn') return
    if (state.lock !== 'idle') return this.signIn(state.session.username, password)
    try {
      await this.parts.service.verify(state.session.user_key, password)
    } catch (error) {
      if (!failureOf(error).tokenEnded) throw error
      this.dispatch({ type: 'absent', now: this.parts.now() })
      return this.signIn(state.session.username, password)
    }
    this.parts.idle.touch()
    this.dispatch({ type: 'unlocked' })
  }

  /** Throws unless the service has ended the session and taken the cookie back: until then the user is signed in. It can be tried again,
   * even if only the cookie is left. */
  async signOut(): Promise<void> {
    const { state } = this
    if (state.kind !== 'signedIn') return
    try {
      await this.parts.service.close(state.session.session_key)
    } catch (error) {
      // A session that is over needs no ending.
      if (!failureOf(error).tokenEnded) throw error
    }
    await this.parts.service.dropCookie()
    this.leave()
    this.parts.tell({ kind: 'signedOut' })
  }

  /** Gives up the locked page: to the sign-in page, as whoever comes next. */
  leave(): void {
    this.parts.forget()
    this.dispatch({ type: 'signedOut' })
  }

  /** Leaves a locked page to somebody else. */
  async abandon(): Promise<void> {
    const { state } = this
    if (state.kind !== 'signedIn') return
    if (state.lock === 'idle') return this.signOut()
    this.leave()
    if (state.lock === 'otherUser') await this.load()
  }

  async savePreferences(change: Preferences): Promise<void> {
    this.dispatch({ type: 'preferences', preferences: await this.parts.service.savePreferences(change) })
  }

  /** The service refused the token of a request sent at `sentAt`. True once the same user has signed in again. */
  readonly tokenEnded = (sentAt: number): Promise<boolean> => {
    const { state } = this
    if (state.kind !== 'signedIn') return Promise.resolve(false)
    if (sentAt < this.renewedAt && state.lock === null) return Promise.resolve(true)
    this.dispatch({ type: 'absent', now: this.parts.now() })
    return new Promise((resolve) => this.waiters.push({ userKey: state.session.user_key, resolve }))
  }

  readonly idleOver = (): void => this.dispatch({ type: 'idle' })

  /** Hides the page if nobody has touched it for too long, whether its session goes on or not. */
  readonly watchIdle = (): void => {
    const { state } = this
    if (state.kind === 'signedIn' && this.parts.idle.isOver(state.session.idleAfter)) this.idleOver()
  }

  /** Somebody has touched the page. Late input opens nothing. */
  readonly touched = (): void => {
    this.watchIdle()
    const { state } = this
    if (state.kind === 'signedIn' && state.lock === null) this.parts.idle.touch()
  }

  /** Another tab has signed in or out. The cookie is shared, so this page must not go on as somebody else. */
  readonly heard = (message: TabMessage): void => {
    const { state } = this
    if (state.kind !== 'signedIn') {
      if (message.kind === 'signedIn') void this.load()
      return
    }
    if (message.kind === 'signedOut') this.dispatch({ type: 'left' })
    else if (message.user_key !== state.session.user_key) this.dispatch({ type: 'otherUser' })
    else if (state.lock !== null) void this.load()
  }

  /** Back in sight after a while: is it still the same user? */
  async check(): Promise<void> {
    const { state } = this
    if (state.kind !== 'signedIn' || state.lock !== null) return
    try {
      const userKey = await this.parts.service.whoami()
      if (userKey !== state.session.user_key) this.dispatch({ type: 'otherUser' })
    } catch (error) {
      if (failureOf(error).tokenEnded) this.dispatch({ type: 'absent', now: this.parts.now() })
    }
  }
}
