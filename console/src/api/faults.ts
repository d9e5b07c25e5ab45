/*
 * The errors of the service in one shape. Its words are kept: people see what the service says.
 */

import { parseExact } from './json'

export interface Fault {
  /** Where the value is: `body.components.2.qt`, without the leading part if the fault is of the whole request. */
  path: string
  /** The same as steps; the first is `body`, `query`, `path` or `header`. */
  loc: (string | number)[]
  message: string
  type: string
}

export type ErrorData = Record<string, unknown>

interface FailureInput {
  status: number
  message: string
  code?: string
  errorType?: string
  faults?: Fault[]
  data?: ErrorData
  retryAfter?: number
  requestId?: string
}

export class ApiFailure extends Error {
  /** The HTTP status; 0 if no answer came. */
  readonly status: number
  /** Of 401: `token`, `credentials` or `owner`. */
  readonly code: string | undefined
  /** The rule that refused, such as `StepsMissingError`. */
  readonly errorType: string | undefined
  readonly faults: Fault[]
  /** What the service says besides its message, such as the data of a rule. */
  readonly data: ErrorData
  /** Seconds. */
  readonly retryAfter: number | undefined
  readonly requestId: string | undefined

  constructor(input: FailureInput) {
    super(input.message)
    this.name = 'ApiFailure'
    this.status = input.status
    this.code = input.code
    this.errorType = input.errorType
    this.faults = input.faults ?? []
    this.data = input.data ?? {}
    this.retryAfter = input.retryAfter
    this.requestId = input.requestId
  }

  /** No answer came: the line is cut, or the service is down. */
  get offline(): boolean {
    return this.status === 0
  }

  /** The same request may succeed later, unchanged. */
  get temporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status === 502 || this.status === 503 || this.status === 504
  }

  /** The address names what cannot be, such as a key with a letter too many: there is no such thing. */
  get badAddress(): boolean {
    return this.status === 422 && this.faults.length > 0 && this.faults.every(({ loc }) => loc[0] === 'path')
  }

  /** The token is over: somebody has to sign in again. */
  get tokenEnded(): boolean {
    return this.status === 401 && this.code === 'token'
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function stepsOf(value: unknown): (string | number)[] {
  if (!Array.isArray(value)) return []
  return value.filter((step): step is string | number => typeof step === 'string' || typeof step === 'number')
}

function faultOf(entry: unknown): Fault[] {
  if (!isRecord(entry)) return []
  const loc = stepsOf(entry.loc)
  const named = loc[0] === 'body' || loc[0] === 'query' || loc[0] === 'path' || loc[0] === 'header'
  return [
    {
      path: (named ? loc.slice(1) : loc).join('.'),
      loc,
      message: optionalText(entry.msg) ?? optionalText(entry.message) ?? '',
      type: optionalText(entry.type) ?? '',
    },
  ]
}

/** The failure that a status and a parsed body stand for. */
export function failureFrom(status: number, body: unknown, headers?: Headers): ApiFailure {
  const rest = {
    status,
    retryAfter: secondsOf(headers?.get('Retry-After')),
    requestId: headers?.get('X-Request-Id') ?? undefined,
  }
  const detail = isRecord(body) ? body.detail : body
  if (Array.isArray(detail)) {
    const faults = detail.flatMap(faultOf)
    return new ApiFailure({ ...rest, message: faults.map((fault) => fault.message).join(' '), faults })
  }
  if (isRecord(detail)) {
    const { message, code, error_type: errorType, ...data } = detail
    return new ApiFailure({
      ...rest,
      message: optionalText(message) ?? '',
      code: optionalText(code),
      errorType: optionalText(errorType),
      data,
    })
  }
  return new ApiFailure({ ...rest, message: optionalText(detail) ?? '' })
}

function secondsOf(header: string | null | undefined): number | undefined {
  if (!header) return undefined
  const seconds = Number(header)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

/** Reads the body of a refused request. What is no JSON, such as a page of a proxy, gives no words. */
export async function readFailure(response: Response): Promise<ApiFailure> {
  const text = await response.text().catch(() => '')
  let body: unknown
  try {
    body = parseExact(text)
  } catch {
    body = null
  }
  return failureFrom(response.status, body, response.headers)
}

/** Anything thrown, as a failure. What did not come through the client is a fault of the console itself: status -1. */
export function failureOf(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error
  return new ApiFailure({ status: -1, message: error instanceof Error ? error.message : String(error) })
}
