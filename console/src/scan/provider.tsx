import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { type Text, useText } from '@/i18n'
import { SessionContext } from '@/session'
import { failureWords } from '@/ui/failure-words'
import { pageOfHit, searchPage } from './addresses'
import { Flash, type Signal } from './Flash'
import { parseScan, type Scanned } from './gs1'
import { listenForScans } from './listen'
import type { Finders, Hit } from './resolve'
import { HandlerStack, type ScanAnswer, type ScanHandler } from './stack'
import { muteTones, play, prepareTones } from './tone'

interface ScanState {
  readonly stack: HandlerStack
  /** As if a scanner had sent it. */
  readonly scan: (text: string) => Promise<void>
  /** Looks the text up and opens what has this code; otherwise searches for it. Handlers that want typed codes come first. */
  readonly open: (text: string) => Promise<void>
  /** Answers in tone and colour, and says it to screen readers. */
  readonly signal: (signal: Signal) => void
  /** Takes these words away if they still stand there: what they speak of is over. */
  readonly unsay: (text: string) => void
}

/** How things are looked up comes after the first page: without the line nothing could be found anyway. */
const loadSearch = () => Promise.all([import('./resolve'), import('./finders')])

/** Milliseconds after which a page opens, whether the answer was shown or not. */
const LONGEST_PAINT = 200

const ScanContext = createContext<ScanState | undefined>(undefined)

interface ScanProviderProps {
  /** Opens an address of the console. */
  readonly onGo: (to: string) => void
  /** False while nobody is signed in. */
  readonly listening?: boolean
  readonly finders?: Finders
  readonly children: ReactNode
}

/** Catches scans on every page: offers them to the page, and otherwise opens what has the code. */
export function ScanProvider({ onGo, listening = true, finders, children }: ScanProviderProps) {
  const t = useText()
  const [stack] = useState(() => new HandlerStack())
  const [shown, setShown] = useState<Signal & { at: number }>()
  const looking = useRef<AbortController>(undefined)

  const signal = useCallback((given: Signal) => {
    play(given.tone)
    flushSync(() => setShown({ ...given, at: performance.now() }))
  }, [])

  const unsay = useCallback((text: string) => setShown((now) => (now?.text === text ? undefined : now)), [])

  const lookUp = useCallback(
    async (scanned: Scanned, onNone: () => void) => {
      if (scanned.kind === 'console') return onGo(scanned.to)
      const code = nameOf(scanned)
      looking.current?.abort()
      const control = new AbortController()
      looking.current = control
      try {
        const [{ resolve }, service] = await loadSearch()
        const hits = await resolve(scanned, finders ?? service.finders, control.signal)
        if (control.signal.aborted) return
        const [first, ...others] = hits
        if (first === undefined) return onNone()
        if (others.length > 0) {
          signal({ tone: 'neutral', text: t('scan.several', { count: hits.length, code }) })
          await painted()
          return control.signal.aborted ? undefined : onGo(searchPage(code))
        }
        const name = `${t(`scan.kind.${first.kind}`)} ${title(first)}`
        const page = pageOfHit(first)
        if (page === null) return signal({ tone: 'bad', text: t('scan.noPage', { name }) })
        signal({ tone: 'good', text: t('scan.found', { name }) })
        await painted()
        if (!control.signal.aborted) onGo(page)
      } catch (error) {
        if (control.signal.aborted) return
        signal({ tone: 'bad', text: t('scan.failed', { code, message: failureWords(t, error) }) })
      }
    },
    [finders, onGo, signal, t],
  )

  const offer = useCallback(
    async (scanned: Scanned, by: 'scanner' | 'hand', onNone: () => void) => {
      const answer = await answerOf(t, stack, scanned, by)
      if (answer === undefined) return lookUp(scanned, onNone)
      const words = answer.ok
        ? t('scan.taken', { code: nameOf(scanned) })
        : t('scan.refused', { code: nameOf(scanned) })
      signal({ tone: answer.ok ? 'good' : 'bad', text: answer.say ?? words, heard: answer.shown })
    },
    [stack, signal, lookUp, t],
  )

  const scan = useCallback(
    (text: string) => {
      const scanned = parseScan(text, window.location.origin)
      const none = () => signal({ tone: 'bad', text: t('scan.none', { code: nameOf(scanned) }) })
      return offer(scanned, 'scanner', none)
    },
    [offer, signal, t],
  )

  const open = useCallback(
    (text: string) => {
      const scanned = parseScan(text, window.location.origin)
      return offer(scanned, 'hand', () => onGo(searchPage(text.trim())))
    },
    [offer, onGo],
  )

  useMuting()
  useEffect(prepareTones, [])
  useEffect(() => void loadSearch().catch(() => undefined), [])
  useEffect(() => (listening ? listenForScans(scan) : undefined), [listening, scan])
  const state = useMemo(() => ({ stack, scan, open, signal, unsay }), [stack, scan, open, signal, unsay])
  return (
    <ScanContext value={state}>
      {children}
      <Flash signal={shown} />
    </ScanContext>
  )
}

/** The preference `sound` set to false silences the tones; colour and words stay. */
function useMuting(): void {
  const sound = useContext(SessionContext)?.preferences.sound
  useEffect(() => muteTones(sound === false), [sound])
}

/** Waits until the browser has shown what was changed, for a page that opens at once would hold it up. A covered window shows nothing. */
function painted(): Promise<void> {
  const shown = new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))
  return Promise.race([shown, new Promise<void>((done) => setTimeout(done, LONGEST_PAINT))])
}

/** A handler that fails has refused: the scan must not open another page behind the operator's back. */
async function answerOf(t: Text, stack: HandlerStack, scanned: Scanned, by: 'scanner' | 'hand'): Promise<ScanAnswer> {
  try {
    return await stack.offer(scanned, by)
  } catch (error) {
    return { ok: false, say: failureWords(t, error) }
  }
}

/** What people call the scanned thing. */
function nameOf(scanned: Scanned): string {
  if (scanned.kind === 'gs1') return scanned.serial ?? scanned.lot ?? scanned.sscc ?? scanned.gtin ?? scanned.raw
  return scanned.kind === 'plain' ? scanned.code : scanned.to
}

function title(hit: Hit): string {
  return hit.kind === 'issue' ? (hit.about ?? '') : hit.code
}

export function useScanner(): ScanState {
  const state = useContext(ScanContext)
  if (state === undefined) throw new Error('useScanner needs a ScanProvider above it')
  return state
}

interface UseScanOptions {
  /** Higher ones are asked first: 0 for a page, 10 for a box inside it, 20 for a dialog. */
  readonly priority?: number
  readonly enabled?: boolean
  /** Also gets codes that were typed into the scan box: on pages that are there to scan, it is not for searching. */
  readonly typed?: boolean
}

/** Gets scans while the component is shown. Return undefined to decline, else whether it was right, and words. */
export function useScan(
  handler: ScanHandler,
  { priority = 0, enabled = true, typed = false }: UseScanOptions = {},
): void {
  const { stack } = useScanner()
  const latest = useRef(handler)
  useEffect(() => {
    latest.current = handler
  })
  useEffect(
    () => (enabled ? stack.add((scan) => latest.current(scan), priority, typed) : undefined),
    [stack, priority, enabled, typed],
  )
}
