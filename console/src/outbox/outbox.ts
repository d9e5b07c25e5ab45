/*
 * Sends what people did on the floor, in order, and keeps it until the service has answered. Each entry is stored before it is first sent
 * and always goes with the same `Idempotency-Key`, so a reload or a cut line neither loses nor repeats anything.
 */

import { type ApiFailure, failureOf } from '@/api/faults'
import type { Clock } from '@/live/clock'
import {
  AnswerMissed,
  isBuiltOn,
  isUncertain,
  judge,
  KeptRefusal,
  nextOrder,
  nextToSend,
  type OutboxEntry,
  type OutboxRequest,
  refusalOf,
  replace,
  without,
} from './queue'
import type { EntryStorage } from './storage'

export interface OutboxParts {
  clock: Clock
  storage: EntryStorage
  newKey(): string
  /** Sends as whoever is signed in; throws an `ApiFailure`. */
  send(request: OutboxRequest, key: string): Promise<unknown>
  /** The key of the user that the service sees; asked before each entry, since another tab may have signed in as somebody else. */
  whoami(): Promise<string>
  /** Runs alone among all tabs, where the browser can tell. */
  alone(run: () => Promise<void>): Promise<void>
  /** Tells other tabs the answer to an entry: one of them may have queued it. */
  tell(key: string, answer: unknown): void
}

interface Caller {
  resolve(answer: unknown): void
  reject(error: ApiFailure | AnswerMissed): void
  /** Whether the page that queued the entry is still shown. */
  isThere(): boolean
  /** The entry could not be answered at once: people have gone on by now. */
  delayed: boolean
}

const waits = [1_000, 2_000, 5_000, 10_000]

/** How long an answer that another tab tells may come after its entry was seen to be gone. */
const hearing = 1_000

export class Outbox {
  private entries: OutboxEntry[]
  private callers = new Map<string, Caller>()
  private listeners = new Set<() => void>()
  private userKey: string | null = null
  private userName = ''
  private running = false
  private again = false
  private failures = 0
  private tries = new Map<string, number>()
  private cancelWait: () => void = () => undefined

  constructor(private readonly parts: OutboxParts) {
    this.entries = parts.storage.all()
  }

  readonly getEntries = (): readonly OutboxEntry[] => this.entries

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private set(entries: OutboxEntry[]): void {
    this.entries = entries
    for (const listener of this.listeners) listener()
  }

  /** Sends for this user from now on; null while nobody is signed in or the page is locked. */
  signedIn(userKey: string | null, userName = ''): void {
    this.userKey = userKey
    this.userName = userName
    if (userKey !== null) void this.flush()
  }

  /** Another tab has added, changed or removed entries. */
  readonly reload = (): void => {
    this.set(this.parts.storage.all())
    for (const key of this.callers.keys()) this.follow(key)
  }

  /** Another tab has sent an entry. */
  readonly heard = (key: string, answer: unknown): void => {
    this.set(without(this.entries, key))
    this.take(key)?.resolve(answer)
  }

  /** Lets a caller know what another tab has made of its entry. */
  private follow(key: string): void {
    const entry = this.entries.find((one) => one.key === key)
    if (!entry) this.parts.clock.after(hearing, () => this.take(key)?.reject(new AnswerMissed()))
    else if (entry.refusal && !entry.refusal.uncertain) this.take(key)?.reject(new KeptRefusal(entry.refusal))
  }

  private take(key: string): Caller | undefined {
    const caller = this.callers.get(key)
    this.callers.delete(key)
    return caller
  }

  /** Stores the request and sends it when its turn comes. Resolves with the answer's body, however long that takes; throws an
   * `ApiFailure` if the service refuses, a `KeptRefusal` if the entry stays on the list, an `AnswerMissed` if another tab has sent it and
   * its answer was not heard. Throws at once if the request can't be stored. */
  enqueue(request: OutboxRequest, label: string, isThere = () => true): Promise<unknown> {
    if (this.userKey === null) return Promise.reject(new Error('nobody is signed in'))
    const entry: OutboxEntry = {
      key: this.parts.newKey(),
      user_key: this.userKey,
      user_name: this.userName,
      label,
      request,
      order: nextOrder([...this.entries, ...this.parts.storage.all()]),
      queuedAt: this.parts.clock.now(),
      sentAt: null,
      refusal: null,
    }
    try {
      this.parts.storage.put(entry)
    } catch (error) {
      return Promise.reject(error)
    }
    this.set([...this.entries, entry])
    const answer = new Promise((resolve, reject) =>
      this.callers.set(entry.key, { resolve, reject, isThere, delayed: false }),
    )
    void this.flush()
    return answer
  }

  /** Sends a refused entry once more, with the same key. */
  retry(key: string): void {
    const entry = this.entries.find((one) => one.key === key)
    if (!entry) return
    this.tries.delete(key)
    const sentAt = entry.refusal?.uncertain ? null : entry.sentAt
    this.store({ ...entry, sentAt, refusal: null })
    void this.flush()
  }

  discard(key: string): void {
    this.parts.storage.remove(key)
    this.callers.delete(key)
    this.set(without(this.entries, key))
    void this.flush()
  }

  private store(entry: OutboxEntry): void {
    try {
      this.parts.storage.put(entry)
    } catch {
      // No room for the change: what was stored before has the same key, and is sent again after a reload.
    }
    this.set(replace(this.entries, entry))
  }

  /** Sends what can be sent. Called whenever something may have changed: a new entry, the line is back, somebody has signed in. */
  async flush(): Promise<void> {
    this.cancelWait()
    if (this.running) {
      this.again = true
      return
    }
    this.running = true
    try {
      do {
        this.again = false
        if (this.userKey !== null && nextToSend(this.entries, this.userKey)) await this.parts.alone(() => this.run())
      } while (this.again)
    } finally {
      this.running = false
    }
  }

  private async run(): Promise<void> {
    this.reload()
    const userKey = this.userKey
    if (userKey === null) return
    while (nextToSend(this.entries, userKey) && (await this.isStill(userKey))) {
      const entry = nextToSend(this.entries, userKey)
      if (!entry || !(await this.attempt(entry))) return
    }
  }

  private async isStill(userKey: string): Promise<boolean> {
    if (this.userKey !== userKey) return false
    try {
      return (await this.parts.whoami()) === userKey && this.userKey === userKey
    } catch (error) {
      this.wait(failureOf(error))
      return false
    }
  }

  /** Answers whether the next entry may follow at once. */
  private async attempt(entry: OutboxEntry): Promise<boolean> {
    const now = this.parts.clock.now()
    if (isUncertain(entry, now)) {
      this.store({ ...entry, refusal: { status: 0, message: '', faults: [], uncertain: true } })
      return true
    }
    const sent = { ...entry, sentAt: entry.sentAt ?? now }
    this.store(sent)
    try {
      this.done(sent, await this.parts.send(entry.request, entry.key))
      return true
    } catch (error) {
      return this.failed(sent, failureOf(error))
    }
  }

  private done(entry: OutboxEntry, answer: unknown): void {
    this.failures = 0
    this.tries.delete(entry.key)
    this.parts.storage.remove(entry.key)
    this.set(without(this.entries, entry.key))
    const caller = this.take(entry.key)
    if (caller) caller.resolve(answer)
    else this.parts.tell(entry.key, answer)
  }

  private failed(entry: OutboxEntry, failure: ApiFailure): boolean {
    if (!this.entries.some((one) => one.key === entry.key)) return true
    const tries = (this.tries.get(entry.key) ?? 0) + 1
    this.tries.set(entry.key, tries)
    if (judge(failure, tries) === 'wait') {
      this.wait(failure)
      return false
    }
    const caller = this.take(entry.key)
    if (caller && this.isShown(entry, caller)) {
      this.parts.storage.remove(entry.key)
      this.set(without(this.entries, entry.key))
      caller.reject(failure)
    } else {
      this.store({ ...entry, refusal: refusalOf(failure) })
      caller?.reject(new KeptRefusal(failure))
    }
    return true
  }

  /** Whether a refusal is told where the entry was queued, and nothing builds on it. */
  private isShown(entry: OutboxEntry, caller: Caller): boolean {
    return entry.request.refused === 'drop' && caller.isThere() && !caller.delayed && !isBuiltOn(this.entries, entry)
  }

  private wait(failure: ApiFailure): void {
    for (const caller of this.callers.values()) caller.delayed = true
    const own = waits[Math.min(this.failures, waits.length - 1)] ?? 10_000
    this.failures += 1
    const asked = failure.retryAfter === undefined ? 0 : failure.retryAfter * 1000
    this.cancelWait = this.parts.clock.after(Math.max(own, asked), () => void this.flush())
  }
}
