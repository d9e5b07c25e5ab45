/*
 * From a list of codes to units: the service knows one code at a time, so several are asked for side by side.
 */

export interface Found {
  readonly key: string
  readonly code: string
  readonly product: string
}

export interface Looked {
  readonly found: readonly Found[]
  /** Codes of units of several products. */
  readonly several: readonly { readonly code: string; readonly units: readonly Found[] }[]
  readonly unknown: readonly string[]
}

export type Ask = (code: string, signal: AbortSignal) => Promise<readonly Found[]>

const AT_ONCE = 6

/** Looks all codes up, and tells how far it is. The first failure ends it. */
export async function lookUp(
  codes: readonly string[],
  ask: Ask,
  signal: AbortSignal,
  progress?: (done: number) => void,
): Promise<Looked> {
  const answers = new Map<string, readonly Found[]>()
  let next = 0
  const worker = async () => {
    for (let code = codes[next++]; code !== undefined && !signal.aborted; code = codes[next++]) {
      answers.set(code, await ask(code, signal))
      progress?.(answers.size)
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, codes.length) }, worker))
  signal.throwIfAborted()
  const of = (code: string) => answers.get(code) ?? []
  return {
    found: codes.flatMap((code) => (of(code).length === 1 ? of(code) : [])),
    several: codes.filter((code) => of(code).length > 1).map((code) => ({ code, units: of(code) })),
    unknown: codes.filter((code) => of(code).length === 0),
  }
}
