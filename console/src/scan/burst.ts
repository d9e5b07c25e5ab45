/*
 * Tells a wedge scanner from a typist by timing. A scanner types at least four characters, most of them less than 35 ms
 * apart, and ends with Enter or Tab at the same pace. Pure: it sees (key, time) and says what it has recognised.
 */

export const LEAST = 4

/** What tells a scanner's keys from a hand's, in milliseconds. */
export interface Tempo {
  /** The median below which no hand has typed it. */
  readonly pace: number
  /** A longer pause begins a new burst. */
  readonly pause: number
  /** A longer one even in the midst of a scan: radio scanners hesitate now and then. */
  readonly hesitation: number
}

export const STRICT: Tempo = { pace: 35, pause: 75, hesitation: 250 }
/** Where no letter is typed for another purpose: a busy page gets the keys of a scanner late and unevenly. */
export const PATIENT: Tempo = { pace: 100, pause: 500, hesitation: 500 }

export interface Key {
  /** `KeyboardEvent.key`. */
  readonly key: string
  /** When, in milliseconds. */
  readonly at: number
  /** Held down: the keyboard repeats it, faster than anybody types. */
  readonly repeat?: boolean
  /** An input method is composing. */
  readonly composing?: boolean
  readonly ctrl?: boolean
  readonly alt?: boolean
  readonly meta?: boolean
}

export interface Burst {
  readonly text: string
  readonly times: readonly number[]
}

export interface Step {
  readonly burst: Burst
  /** The key begins a burst: what is typed from here on may be a scan. */
  readonly begins: boolean
  /** The code, if this key ends a scan. */
  readonly scanned?: string
  /**
   * How likely a scanner has sent the key: `perhaps` if it came as fast as one after another key, `surely` if two came before it. Who
   * types letters rolls two keys now and then, but nobody presses a button that soon after a letter.
   */
  readonly machine: 'no' | 'perhaps' | 'surely'
}

export const NOTHING: Burst = { text: '', times: [] }
const OVER: Step = { burst: NOTHING, begins: false, machine: 'no' }

const BETWEEN: ReadonlySet<string> = new Set(['Shift', 'CapsLock', 'AltGraph', 'Control', 'Alt', 'NumLock'])

/** The character that a key types, if it types one. Ctrl-] is how scanners send the separator of GS1 codes. */
function character(key: Key): string | undefined {
  if (key.ctrl && !key.alt) return key.key === ']' || key.key === '\u001d' ? '\u001d' : undefined
  if (key.meta || (key.alt && !key.ctrl)) return undefined
  return [...key.key].length === 1 ? key.key : undefined
}

function median(times: readonly number[]): number {
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? time))
  gaps.sort((a, b) => a - b)
  return gaps[Math.floor(gaps.length / 2)] ?? Number.POSITIVE_INFINITY
}

function isScan({ text, times }: Burst, end: number, { pace, pause }: Tempo): boolean {
  const last = times.at(-1)
  if (times.length < LEAST || text.trim() === '' || last === undefined || end - last > pause) return false
  return median([...times, end]) < pace
}

/** Whether a character belongs to the burst. Only what came at the pace of a scanner is worth waiting for. */
function continues({ times }: Burst, at: number, { pace, pause, hesitation }: Tempo): boolean {
  const [before, last] = times.slice(-2)
  if (before === undefined) return false
  if (last === undefined) return at - before <= pause
  return at - last <= (last - before < pace ? hesitation : pause)
}

/** A short code is no scan, but its end must not press what has the focus either. */
function machineOf(burst: Burst, at: number, tempo: Tempo): Step['machine'] {
  const { text, times } = burst
  if (text.trim() === '' || !continues(burst, at, tempo)) return 'no'
  const fast = median([...times, at]) < tempo.pace
  if (fast && times.length > 1) return 'surely'
  return fast || median(times) < tempo.pace ? 'perhaps' : 'no'
}

/** What a key makes of the burst so far. */
export function press(burst: Burst, key: Key, tempo: Tempo = STRICT): Step {
  if (key.composing || key.repeat || key.key === 'Process' || key.key === 'Dead') return OVER
  if (BETWEEN.has(key.key)) return { burst, begins: false, machine: 'no' }
  if (key.key === 'Enter' || key.key === 'Tab') {
    if (key.ctrl || key.alt || key.meta) return OVER
    const end = { ...OVER, machine: machineOf(burst, key.at, tempo) }
    return isScan(burst, key.at, tempo) ? { ...end, scanned: burst.text } : end
  }
  const typed = character(key)
  if (typed === undefined) return OVER
  const goesOn = continues(burst, key.at, tempo)
  const before = goesOn ? burst : NOTHING
  return {
    burst: { text: before.text + typed, times: [...before.times, key.at] },
    begins: !goesOn,
    machine: machineOf(burst, key.at, tempo),
  }
}
