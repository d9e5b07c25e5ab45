/*
 * What was typed and marked for a batch and is not sent yet. It survives a reload: a scrapped unit must never pass because a tablet ran
 * out of power. Each user has drafts of their own, one item of the storage for each batch; tabs share them, so they are read anew whenever
 * they are needed.
 */

import type { ApiFailure } from '@/api'
import type { Separators } from '@/api/decimal'
import type { Drafts } from '@/ui/FormFields'
import { type Mark, mergeMarks } from './logic/scrap'
import { Cells } from './store'

export interface WorkDraft {
  /** What was typed, by step. */
  readonly answers: Readonly<Record<string, Drafts>>
  /** How numbers were written there, by step: the language may be another when they are read. */
  readonly separators: Readonly<Record<string, Separators>>
  /** Steps that were gone through, where they are not confirmed one by one. */
  readonly through: readonly string[]
  /** Steps that somebody should look at. */
  readonly flagged: readonly string[]
  readonly marks: readonly Mark[]
}

export const NO_DRAFT: WorkDraft = { answers: {}, separators: {}, through: [], flagged: [], marks: [] }

export interface Author {
  readonly key: string
  readonly name: string
}

/** What somebody else has marked as scrap. */
export interface OthersMarks {
  readonly author: Author
  readonly marks: readonly Mark[]
}

export const PREFIX = 'tracewright.panel.'
const LIFE = 7 * 86_400_000

interface Stored {
  readonly at: number
  readonly author: Author
  readonly draft: WorkDraft
}

function isAuthor(value: unknown): value is Author {
  if (typeof value !== 'object' || value === null || !('key' in value) || !('name' in value)) return false
  return typeof value.key === 'string' && typeof value.name === 'string'
}

function isStored(value: unknown): value is Stored {
  if (typeof value !== 'object' || value === null) return false
  return 'at' in value && 'draft' in value && 'author' in value && isAuthor(value.author)
}

/** Null if it is too old, or nobody's. */
export function readStored(text: string | null, now: number): Stored | null {
  try {
    const stored: unknown = JSON.parse(text ?? '')
    if (!isStored(stored) || now - stored.at > LIFE) return null
    return { ...stored, draft: { ...NO_DRAFT, ...stored.draft } }
  } catch {
    return null
  }
}

function isEmpty({ answers, through, flagged, marks }: WorkDraft): boolean {
  return Object.keys(answers).length + through.length + flagged.length + marks.length === 0
}

/** Where drafts lie. */
export interface Texts {
  names(): string[]
  get(name: string): string | null
  set(name: string, text: string): void
  remove(name: string): void
}

/** What finds no room, or may not be stored, lives as long as the page. */
export function textsIn(storage: () => Storage): Texts {
  const kept = new Map<string, string>()
  const attempt = <T>(act: (storage: Storage) => T, otherwise: T): T => {
    try {
      return act(storage())
    } catch {
      return otherwise
    }
  }
  return {
    names: () => [...new Set([...kept.keys(), ...attempt((where) => Object.keys(where), [])])],
    get: (name) => kept.get(name) ?? attempt((where) => where.getItem(name), null),
    set: (name, text) => {
      const stored = attempt((where) => {
        where.setItem(name, text)
        return true
      }, false)
      if (stored) kept.delete(name)
      else kept.set(name, text)
    },
    remove: (name) => {
      kept.delete(name)
      attempt((where) => where.removeItem(name), undefined)
    },
  }
}

function ofBatch(batchKey: string): string {
  return `${PREFIX}${encodeURIComponent(batchKey)}/`
}

function nameOf(batchKey: string, userKey: string): string {
  return ofBatch(batchKey) + encodeURIComponent(userKey)
}

export class WorkDrafts {
  private readonly listeners = new Set<() => void>()
  private changes = 0

  constructor(
    private readonly texts: Texts,
    private readonly now: () => number,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Differs after every change, here or in another tab. */
  readonly version = (): number => this.changes

  readonly tell = (): void => {
    this.changes += 1
    for (const listener of this.listeners) listener()
  }

  /** What is stored now. */
  get(batchKey: string, userKey: string): WorkDraft {
    return this.read(nameOf(batchKey, userKey))?.draft ?? NO_DRAFT
  }

  /** Works on what is stored now, which another tab may have changed. */
  change(batchKey: string, author: Author, part: (draft: WorkDraft) => Partial<WorkDraft>): void {
    const draft = this.get(batchKey, author.key)
    this.write(batchKey, author, { ...draft, ...part(draft) })
    this.tell()
  }

  /** The marks of everybody else for the batch. */
  others(batchKey: string, userKey: string): OthersMarks[] {
    return this.namesOf(batchKey).flatMap((name) => {
      const stored = this.read(name)
      if (!stored || stored.author.key === userKey || stored.draft.marks.length === 0) return []
      return [{ author: stored.author, marks: stored.draft.marks }]
    })
  }

  /** Marks of somebody else become the user's own. */
  takeOver(batchKey: string, from: Author, to: Author): void {
    const { marks } = this.get(batchKey, from.key)
    this.change(batchKey, to, (own) => ({ marks: mergeMarks(own.marks, marks) }))
    this.dropMarks(batchKey, from)
  }

  dropMarks(batchKey: string, from: Author): void {
    this.change(batchKey, from, () => ({ marks: [] }))
  }

  /** The batch is done: what anybody kept for it is over. */
  clear(batchKey: string): void {
    for (const name of this.namesOf(batchKey)) this.texts.remove(name)
    this.tell()
  }

  /** Forgets what nobody came back for, and what is nobody's. */
  sweep(): void {
    const names = this.texts.names().filter((name) => name.startsWith(PREFIX))
    for (const name of names) if (this.read(name) === null) this.texts.remove(name)
  }

  private namesOf(batchKey: string): string[] {
    return this.texts
      .names()
      .filter((name) => name.startsWith(ofBatch(batchKey)))
      .sort()
  }

  private read(name: string): Stored | null {
    return readStored(this.texts.get(name), this.now())
  }

  private write(batchKey: string, author: Author, draft: WorkDraft): void {
    const name = nameOf(batchKey, author.key)
    if (isEmpty(draft)) this.texts.remove(name)
    else this.texts.set(name, JSON.stringify({ at: this.now(), author, draft } satisfies Stored))
  }
}

export const workDrafts = new WorkDrafts(
  textsIn(() => localStorage),
  () => Date.now(),
)

/** Hears of what other tabs type and mark. */
export function followDrafts(): () => void {
  const hear = ({ key }: StorageEvent) => {
    if (key === null || key.startsWith(PREFIX)) workDrafts.tell()
  }
  addEventListener('storage', hear)
  return () => removeEventListener('storage', hear)
}

/** The last refusal of each job, by `refusalKey`, shown until the next attempt. */
export const refusals = new Cells<ApiFailure | null>(() => null)

/** Each user is told of their own. */
export function refusalKey(userKey: string, jobKey: string): string {
  return JSON.stringify([userKey, jobKey])
}
