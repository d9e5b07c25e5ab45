/*
 * Short tones that answer a scan, made here: no file is fetched. Good rises, bad falls twice and is rough, so that they
 * can be told apart in noise and by those who do not hear high tones.
 */

export type Tone = 'good' | 'bad' | 'neutral'

interface Note {
  readonly pitch: number
  /** Seconds from the beginning. */
  readonly from: number
  readonly length: number
  readonly wave: OscillatorType
}

const TONES: Readonly<Record<Tone, readonly Note[]>> = {
  good: [
    { pitch: 880, from: 0, length: 0.06, wave: 'sine' },
    { pitch: 1320, from: 0.06, length: 0.1, wave: 'sine' },
  ],
  bad: [
    { pitch: 220, from: 0, length: 0.14, wave: 'square' },
    { pitch: 175, from: 0.18, length: 0.22, wave: 'square' },
  ],
  neutral: [{ pitch: 660, from: 0, length: 0.05, wave: 'sine' }],
}

const LOUDNESS: Readonly<Partial<Record<OscillatorType, number>>> = { sine: 0.25, square: 0.08 }

let muted = false
let context: AudioContext | undefined

/** Follows the user's preference. */
export function muteTones(silent: boolean): void {
  muted = silent
}

export function tonesMuted(): boolean {
  return muted
}

/** Plays a tone at once. A browser that allows no sound yet stays silent. */
export function play(tone: Tone): void {
  if (muted || typeof AudioContext === 'undefined') return
  try {
    context ??= newContext()
    if (context.state === 'suspended') void context.resume().catch(() => undefined)
    for (const note of TONES[tone]) sound(context, note)
  } catch {
    context = undefined
  }
}

function newContext(): AudioContext {
  return new AudioContext({ latencyHint: 'interactive' })
}

/**
 * Prepares for tones at the first key or click; browsers allow no sound before. It takes them up to 80 ms, and the answer to
 * the first scan would have to wait.
 */
export function prepareTones(): () => void {
  const waiting = new AbortController()
  const prepare = () => {
    waiting.abort()
    setTimeout(() => {
      if (!muted && typeof AudioContext !== 'undefined') context ??= newContext()
    })
  }
  for (const gesture of ['keydown', 'pointerdown']) {
    window.addEventListener(gesture, prepare, { capture: true, signal: waiting.signal })
  }
  return () => waiting.abort()
}

function sound(audio: AudioContext, { pitch, from, length, wave }: Note): void {
  const start = audio.currentTime + from
  const source = audio.createOscillator()
  const volume = audio.createGain()
  source.type = wave
  source.frequency.value = pitch
  volume.gain.setValueAtTime(LOUDNESS[wave] ?? 0.1, start)
  volume.gain.exponentialRampToValueAtTime(0.001, start + length)
  source.connect(volume).connect(audio.destination)
  source.start(start)
  source.stop(start + length)
}
