import { ActionIcon, Button } from '@mantine/core'
import { type KeyboardEvent, type PointerEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useFormats, useText } from '@/i18n'
import { Icon } from '@/ui/icons'
import { useTyped } from '@/ui/use-typed'
import { fromInput, toInput } from './model/as-of'
import type { Mark } from './model/happenings'
import { changeAfter, changeBefore, keyStep, type Scale, snap } from './model/scale'
import './time-slider.css'

interface TimeSliderProps {
  readonly scale: Scale
  readonly marks: readonly Mark[]
  /** Undefined is now. */
  readonly time: number | undefined
  readonly onChange: (time: number | undefined) => void
  /** What happened at a mark, in words. */
  readonly wordsOf: (mark: Mark) => string
}

/** The colours of marks, in the order of a unit's life. */
const TOLD = ['running', 'built', 'done', 'waiting', 'todo'] as const

/** How long the hand may rest on the way before the page follows. */
const REST = 140
/** How close to a mark the hand has to come, in pixels. */
const REACH = 7

/** What the hand holds; the page gets it a moment later, so that it is not asked for every pixel of the way. */
function useHand(time: number | undefined, onChange: (time: number | undefined) => void) {
  const [held, setHeld] = useState<{ time: number | undefined } | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const go = useCallback(
    (next: number | undefined, wait: number) => {
      setHeld({ time: next })
      clearTimeout(timer.current)
      timer.current = setTimeout(() => {
        onChange(next)
        setHeld(null)
      }, wait)
    },
    [onChange],
  )
  return { shown: held ? held.time : time, go }
}

/** "As it stood on": the time of the page, from the first moment of the unit until now. */
export function TimeSlider({ scale, marks, time, onChange, wordsOf }: TimeSliderProps) {
  const t = useText()
  const formats = useFormats()
  const { shown, go: move } = useHand(time, onChange)
  const [refused, setRefused] = useState<string>()
  const go = (next: number | undefined, wait: number) => {
    setRefused(undefined)
    move(next, wait)
  }
  const typed = (entered: number) => {
    if (entered < scale.from) return setRefused(t('serial.time.before', { time: formats.dateTime(scale.from) }))
    go(entered >= scale.to ? undefined : entered, 0)
    if (entered > Date.now()) setRefused(t('serial.time.ahead'))
  }
  const times = useMemo(() => marks.map((mark) => mark.time), [marks])
  const past = shown !== undefined
  const at = shown ?? scale.to
  const mark = marks.findLast((one) => one.time <= at)
  const earlier = changeBefore(times, at)
  const later = changeAfter(times, at)
  const words = past ? formats.dateTime(at) : t('serial.time.now')
  return (
    <section className="tw-time" data-past={past || undefined} aria-label={t('serial.time.label')}>
      <div className="tw-time-line">
        <p className="tw-time-words" role="status">
          {past ? (
            <>
              <Icon name="clock" /> <b>{t('serial.time.past', { time: words })}</b>
              <span>{formats.relative(at)}</span>
            </>
          ) : (
            <b>{t('serial.time.present')}</b>
          )}
        </p>
        <div className="tw-time-tools">
          <ActionIcon
            variant="subtle"
            aria-label={t('serial.time.earlier')}
            title={t('serial.time.earlier')}
            disabled={earlier === undefined}
            onClick={() => go(earlier, 0)}
          >
            <Icon name="left" />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            aria-label={t('serial.time.later')}
            title={t('serial.time.later')}
            disabled={!past}
            onClick={() => go(later, 0)}
          >
            <Icon name="right" />
          </ActionIcon>
          <DateInput scale={scale} time={shown} onChange={typed} />
          <Button
            size="compact-sm"
            variant={past ? 'filled' : 'default'}
            disabled={!past}
            onClick={() => go(undefined, 0)}
          >
            {t('serial.time.toNow')}
          </Button>
        </div>
      </div>
      {refused !== undefined && (
        <p className="tw-time-refused" role="alert">
          {refused}
        </p>
      )}
      <Track
        scale={scale}
        marks={marks}
        times={times}
        time={shown}
        onGo={go}
        wordsOf={wordsOf}
        valueText={mark ? t('serial.time.value', { time: words, what: wordsOf(mark) }) : words}
      />
      <Legend marks={marks} />
    </section>
  )
}

/** What the colours say, as far as there are any. */
function Legend({ marks }: { marks: readonly Mark[] }) {
  const t = useText()
  const tones = new Set(marks.flatMap((mark) => (mark.headline === undefined ? [] : [mark.headline.tone])))
  return (
    <ul className="tw-time-legend">
      {TOLD.filter((tone) => tones.has(tone)).map((tone) => (
        <li key={tone}>
          <span className="tw-time-mark" data-tone={tone} />
          {t(`serial.time.tone.${tone}`)}
        </li>
      ))}
    </ul>
  )
}

function DateInput(props: { scale: Scale; time: number | undefined; onChange: (time: number) => void }) {
  const { scale, time, onChange } = props
  const t = useText()
  const typed = useTyped(toInput(time ?? scale.to), (text) => {
    const entered = fromInput(text)
    if (entered !== undefined) onChange(entered)
  })
  return (
    <input
      {...typed}
      className="tw-time-input"
      type="datetime-local"
      aria-label={t('serial.time.input')}
      min={toInput(scale.from)}
      max={toInput(scale.to)}
    />
  )
}

interface TrackProps {
  readonly scale: Scale
  readonly marks: readonly Mark[]
  readonly times: readonly number[]
  readonly time: number | undefined
  readonly valueText: string
  readonly onGo: (time: number | undefined, wait: number) => void
  readonly wordsOf: (mark: Mark) => string
}

function Track({ scale, marks, times, time, valueText, onGo, wordsOf }: TrackProps) {
  const t = useText()
  const track = useRef<HTMLDivElement>(null)
  const place = time === undefined ? 1 : scale.place(time)
  const drag = (event: PointerEvent<HTMLElement>, wait: number) => {
    const box = track.current?.getBoundingClientRect()
    if (!box || box.width === 0) return
    const reach = REACH / box.width
    const at = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width))
    onGo(at > 1 - reach ? undefined : snap(scale, times, scale.time(at), reach), wait)
  }
  const press = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const next = keyStep(scale, times, time ?? scale.to, event.key)
    if (next === undefined) return
    event.preventDefault()
    onGo(next ?? undefined, REST)
  }
  return (
    <div
      className="tw-time-track"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        drag(event, REST)
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) drag(event, REST)
      }}
      onPointerUp={(event) => drag(event, 0)}
    >
      <div className="tw-time-rail" ref={track}>
        <span className="tw-time-gone" style={{ width: `${place * 100}%` }} />
        {marks.map((mark) => (
          <span
            key={mark.time}
            className="tw-time-mark"
            data-tone={mark.headline?.tone ?? 'todo'}
            data-inside={mark.headline === undefined || undefined}
            style={{ left: `${scale.place(mark.time) * 100}%` }}
            title={wordsOf(mark)}
          />
        ))}
        <span
          role="slider"
          tabIndex={0}
          className="tw-time-hand"
          style={{ left: `${place * 100}%` }}
          aria-label={t('serial.time.label')}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(place * 100)}
          aria-valuetext={valueText}
          onKeyDown={press}
        />
      </div>
      <Dates scale={scale} marks={marks} />
    </div>
  )
}

/** The least distance between two dates below the rail. */
const APART = 0.15

/** Dates of some of the marks, as many as have room, and each day once. */
export function datesOf(scale: Scale, times: readonly number[]): number[] {
  const chosen: number[] = []
  let last = Number.NEGATIVE_INFINITY
  let day = ''
  for (const time of [scale.from, ...times]) {
    const place = scale.place(time)
    const next = new Date(time).toDateString()
    if (place - last < APART || place > 1 - APART || next === day) continue
    chosen.push(time)
    last = place
    day = next
  }
  return chosen
}

function Dates({ scale, marks }: { scale: Scale; marks: readonly Mark[] }) {
  const t = useText()
  const formats = useFormats()
  const dates = datesOf(
    scale,
    marks.map(({ time }) => time),
  )
  return (
    <div className="tw-time-dates" aria-hidden="true">
      {dates.map((time) => (
        <span key={time} style={{ left: `${scale.place(time) * 100}%` }}>
          {formats.date(time)}
        </span>
      ))}
      <span className="tw-time-end">{t('serial.time.now')}</span>
    </div>
  )
}
