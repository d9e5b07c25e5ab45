/*
 * What was typed and marked for a batch and is not sent yet. It survives a reload: a scrapped unit must never pass because a tablet ran
 * out of power.
 */

import type { ApiFailure } from '@/api'
import type { Drafts } from '@/ui/FormFields'
import type { Mark } from './logic/scrap'
import { Cells } from './store'

export interface WorkDraft {
  /** What was typed, by step. */
  readonly answers: Readonly<Record<string, Drafts>>
  /** Steps that were gone through, where they are not confirmed one by one. */
  readonly through: readonly string[]
  /** Steps that somebody should look at. */
  readonly flagged: readonly string[]
  readonly marks: readonly Mark[]
}

export const NO_DRAFT: WorkDraft = { answers: {}, through: [], flagged: [], marks: [] }

const PREFIX = 'tracewright.panel.'
const LIFE = 7 * 86_400_000

interface Stored {
  readonly at: number
  readonly draft: WorkDraft
}

function isStored(value: unknown): value is Stored {
  return typeof value === 'object' && value !== null && 'at' in value && 'draft' in value
}

export function readStored(text: string | null, now: number): WorkDraft | null {
  try {
    const stored: unknown = JSON.parse(text ?? '')
    if (!isStored(stored) || now - stored.at > LIFE) return null
    return { ...NO_DRAFT, ...stored.draft }
  } catch {
    return null
  }
}

function isEmpty({ answers, through, flagged, marks }: WorkDraft): boolean {
  return Object.keys(answers).length + through.length + flagged.length + marks.length === 0
}

function load(batchKey: string): WorkDraft {
  try {
    return readStored(localStorage.getItem(PREFIX + batchKey), Date.now()) ?? NO_DRAFT
  } catch {
    return NO_DRAFT
  }
}

function save(batchKey: string, draft: WorkDraft): void {
  try {
    if (isEmpty(draft)) localStorage.removeItem(PREFIX + batchKey)
    else localStorage.setItem(PREFIX + batchKey, JSON.stringify({ at: Date.now(), draft } satisfies Stored))
  } catch {
    // No room, or not allowed: then it lives as long as the page.
  }
}

export const workDrafts = new Cells<WorkDraft>(load, save)

/** Forgets what nobody came back for. */
export function sweepDrafts(): void {
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX))
    for (const name of names)
      if (readStored(localStorage.getItem(name), Date.now()) === null) localStorage.removeItem(name)
  } catch {
    // Nothing is stored where nothing may be.
  }
}

/** The last refusal of each job, shown until the next attempt. */
export const refusals = new Cells<ApiFailure | null>(() => null)
