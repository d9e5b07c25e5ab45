import {
  createContext,
  createElement,
  Fragment,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react'
import * as formats from './formats'
import {
  chooseLocale,
  fill,
  type Locale,
  loadLocale,
  pieces,
  type TextArgs,
  type TextKey,
  type TextValue,
  template,
} from './text'

const STORED = 'tracewright.locale'

interface LocaleState {
  readonly locale: Locale
  readonly setLocale: (locale: Locale) => Promise<void>
}

const LocaleContext = createContext<LocaleState>({
  locale: 'en',
  setLocale: () => Promise.resolve(),
})

function stored(): string | null {
  try {
    return localStorage.getItem(STORED)
  } catch {
    return null
  }
}

/** The language to begin with, before anybody has signed in. Await `loadLocale` of it before the first render. */
export function firstLocale(): Locale {
  return chooseLocale(undefined, stored(), navigator.languages)
}

/** Keeps the language of the page. `setLocale` takes effect once its texts are there. */
export function TextProvider(props: { initial?: Locale; children: ReactNode }) {
  const [locale, setState] = useState<Locale>(() => props.initial ?? firstLocale())
  const setLocale = useCallback(async (next: Locale) => {
    await loadLocale(next)
    try {
      localStorage.setItem(STORED, next)
    } catch {
      // A browser that keeps nothing asks again next time.
    }
    setState(next)
  }, [])
  useEffect(() => {
    document.documentElement.lang = locale
  }, [locale])
  const state = useMemo(() => ({ locale, setLocale }), [locale, setLocale])
  return <LocaleContext value={state}>{props.children}</LocaleContext>
}

/** The language of the page, and how to change it. */
export function useLocale(): LocaleState {
  return useContext(LocaleContext)
}

export type Text = <K extends TextKey>(key: K, ...args: TextArgs<K>) => string

/** `t('area.key', {values})`: the text of that name in the language of the page. */
export function useText(): Text {
  const { locale } = useLocale()
  return useMemo<Text>(
    () =>
      (key, ...args) =>
        fill(locale, key, args[0] as Partial<Record<string, TextValue>> | undefined),
    [locale],
  )
}

export type Rich = <K extends TextKey>(key: K, ...args: TextArgs<K, ReactNode>) => ReactNode

/** Like `useText`, with elements as values: `rich('serial.in', {parent: <Code>…</Code>})`. */
export function useRich(): Rich {
  const { locale } = useLocale()
  return useMemo<Rich>(
    () =>
      (key, ...args) => {
        const values = (args[0] ?? {}) as Partial<Record<string, ReactNode>>
        const count = values.count
        const text = template(locale, key, typeof count === 'number' ? count : undefined)
        const parts = pieces(text).map((piece, at) => (at % 2 === 0 ? piece : values[piece]))
        return createElement(Fragment, null, ...parts)
      },
    [locale],
  )
}

type Bound<F> = F extends (tag: string, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never

/** The formats of `formats.ts`, in the language of the page. */
export interface Formats {
  readonly tag: string
  readonly number: Bound<typeof formats.formatNumber>
  readonly share: Bound<typeof formats.formatShare>
  readonly decimal: Bound<typeof formats.formatDecimal>
  readonly date: Bound<typeof formats.formatDate>
  readonly day: Bound<typeof formats.formatDay>
  readonly time: Bound<typeof formats.formatTime>
  readonly dateTime: Bound<typeof formats.formatDateTime>
  readonly exact: Bound<typeof formats.formatExact>
  readonly relative: Bound<typeof formats.formatRelative>
  readonly duration: Bound<typeof formats.formatDuration>
  readonly bytes: Bound<typeof formats.formatBytes>
}

function bind(tag: string): Formats {
  return {
    tag,
    number: (...rest) => formats.formatNumber(tag, ...rest),
    share: (...rest) => formats.formatShare(tag, ...rest),
    decimal: (...rest) => formats.formatDecimal(tag, ...rest),
    date: (...rest) => formats.formatDate(tag, ...rest),
    day: (...rest) => formats.formatDay(tag, ...rest),
    time: (...rest) => formats.formatTime(tag, ...rest),
    dateTime: (...rest) => formats.formatDateTime(tag, ...rest),
    exact: (...rest) => formats.formatExact(tag, ...rest),
    relative: (...rest) => formats.formatRelative(tag, ...rest),
    duration: (...rest) => formats.formatDuration(tag, ...rest),
    bytes: (...rest) => formats.formatBytes(tag, ...rest),
  }
}

export function useFormats(): Formats {
  const { locale } = useLocale()
  return useMemo(() => bind(formats.localeOf(locale)), [locale])
}
