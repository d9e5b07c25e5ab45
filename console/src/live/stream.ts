/*
 * One event stream for the page, kept open: a ticket, a connection, and both again after every break, since the ticket is over by then.
 */

import type { Clock } from './clock'

/** `off` before anybody is signed in, and while nobody looks at the page. */
export type LiveState = 'off' | 'live' | 'reconnecting' | 'cut'

export interface Notice {
  topic: string
  notification: string
  seq: number
  event_key: string
  timestamp: string
  user_key?: string | null
  serial_key?: string
  serial_keys?: string[]
  job_key?: string
  batch_key?: string
  work_order_key?: string
  product_key?: string
  position_key?: string
  issue_key?: string
  task_key?: string
  task_code?: string
  message_key?: string
  [further: string]: unknown
}

export interface Source {
  close(): void
}

export interface SourceHandlers {
  opened(): void
  /** `id` is empty if the message has none. */
  message(data: string, id: string): void
  /** Nothing up to this number is left to say. */
  passed(id: string): void
  broken(): void
}

export interface StreamParts {
  clock: Clock
  ticket(topics: string): Promise<string>
  open(address: string, topics: string[], handlers: SourceHandlers): Source
  notice(notice: Notice): void
  /** The stream is open: `first` tells whether anything could have been missed before. */
  opened(first: boolean): void
  changed(state: LiveState): void
}

const firstWait = 3_000
const longestWait = 30_000
const patience = 10_000

export class Stream {
  private topics: string[] = []
  private source: Source | null = null
  private cancelRetry: () => void = () => undefined
  private cancelPatience: (() => void) | null = null
  private lastId = ''
  private breaks = 0
  private opens = 0
  private attempt = 0
  private state: LiveState = 'off'

  constructor(private readonly parts: StreamParts) {}

  get current(): LiveState {
    return this.state
  }

  /** Follows these topics from the next `resume` on. */
  start(topics: string[]): void {
    this.stop()
    this.topics = topics
    this.lastId = ''
    this.opens = 0
  }

  /** Begins, or goes on where it was left, at once. */
  resume(): void {
    if (this.topics.length === 0) return
    this.drop()
    this.breaks = 0
    this.lost()
    void this.connect()
  }

  /** Closes the stream, but remembers where it was. */
  pause(): void {
    this.drop()
    this.set('off')
  }

  stop(): void {
    this.pause()
    this.topics = []
  }

  /** Nobody can be reached: no attempt until `resume`. */
  lineDown(): void {
    if (this.state === 'off') return
    this.drop()
    this.set('cut')
  }

  private drop(): void {
    this.attempt += 1
    this.cancelRetry()
    this.cancelPatience?.()
    this.cancelPatience = null
    this.source?.close()
    this.source = null
  }

  private set(state: LiveState): void {
    if (state === this.state) return
    this.state = state
    this.parts.changed(state)
  }

  /** Amber only after some seconds: most breaks are over before anybody has read about them. */
  private lost(): void {
    if (this.state !== 'cut') this.set('reconnecting')
    this.cancelPatience ??= this.parts.clock.after(patience, () => this.set('cut'))
  }

  private async connect(): Promise<void> {
    const attempt = this.attempt
    const topics = this.topics.join(',')
    try {
      const ticket = await this.parts.ticket(topics)
      if (attempt !== this.attempt) return
      this.source = this.parts.open(this.address(topics, ticket), this.topics, {
        opened: () => attempt === this.attempt && this.isOpen(),
        message: (data, id) => attempt === this.attempt && this.received(data, id),
        passed: (id) => attempt === this.attempt && this.passed(id),
        broken: () => attempt === this.attempt && this.retry(),
      })
    } catch {
      if (attempt === this.attempt) this.retry()
    }
  }

  private address(topics: string, ticket: string): string {
    const from = this.lastId === '' ? '' : `&last_event_id=${this.lastId}`
    return `/api/notification/${encodeURIComponent(topics)}?ticket=${encodeURIComponent(ticket)}${from}`
  }

  private isOpen(): void {
    this.cancelPatience?.()
    this.cancelPatience = null
    this.breaks = 0
    this.opens += 1
    this.set('live')
    this.parts.opened(this.opens === 1)
  }

  private passed(id: string): void {
    if (id !== '') this.lastId = id
  }

  private received(data: string, id: string): void {
    this.passed(id)
    const notice = read(data)
    if (notice) this.parts.notice(notice)
  }

  private retry(): void {
    this.attempt += 1
    this.source?.close()
    this.source = null
    this.lost()
    const wait = Math.min(firstWait * 2 ** this.breaks, longestWait)
    this.breaks += 1
    this.cancelRetry = this.parts.clock.after(wait, () => void this.connect())
  }
}

function read(data: string): Notice | null {
  try {
    const notice: unknown = JSON.parse(data)
    return isNotice(notice) ? notice : null
  } catch {
    return null
  }
}

function isNotice(value: unknown): value is Notice {
  return typeof value === 'object' && value !== null && 'topic' in value && typeof value.topic === 'string'
}
