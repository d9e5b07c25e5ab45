import { type FormEvent, type KeyboardEvent, useEffect, useRef } from 'react'
import { useText } from '@/i18n'
import { useGo } from '@/ui/Go'
import { Icon } from '@/ui/icons'
import { useScanner } from './provider'
import { searchPage } from './resolve'
import './scan.css'

const BOX = 'tw-scan-box'

/** Puts the cursor into the scan box: call it after every action, so that the next scan or search can come. */
export function focusScan(): void {
  const box = document.getElementById(BOX)
  if (box instanceof HTMLInputElement) {
    box.focus({ preventScroll: true })
    box.select()
  }
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.closest('input, textarea, select') !== null
}

/** A scanner types slashes too, but never alone: `/` acts only if no other key comes right before or after it. */
const ALONE = 80

function useSlash(): void {
  useEffect(() => {
    let last = Number.NEGATIVE_INFINITY
    let waiting: ReturnType<typeof setTimeout> | undefined
    const onKey = (event: globalThis.KeyboardEvent) => {
      clearTimeout(waiting)
      const pause = event.timeStamp - last
      last = event.timeStamp
      const alone = pause >= ALONE && !event.ctrlKey && !event.metaKey && !event.altKey
      if (event.key !== '/' || !alone || isTyping(event.target)) return
      event.preventDefault()
      waiting = setTimeout(focusScan, ALONE)
    }
    window.addEventListener('keydown', onKey)
    return () => {
      clearTimeout(waiting)
      window.removeEventListener('keydown', onKey)
    }
  }, [])
}

/** The box in the top bar. Enter opens what has the code, or searches; `/` comes here. */
export function ScanBox() {
  const t = useText()
  const go = useGo()
  const { open } = useScanner()
  const box = useRef<HTMLInputElement>(null)
  useSlash()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const text = box.current?.value.trim() ?? ''
    if (text === '') return go(searchPage(''))
    void open(text)
    box.current?.select()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Escape') return
    event.currentTarget.value = ''
    event.currentTarget.blur()
  }
  return (
    <search>
      <form className="tw-scanbox" onSubmit={submit}>
        <Icon name="scan" className="tw-scanbox-icon" />
        <input
          ref={box}
          id={BOX}
          type="text"
          name="q"
          aria-label={t('scan.box')}
          placeholder={t('scan.hint')}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          enterKeyHint="search"
          onKeyDown={onKeyDown}
        />
        <span className="tw-scanbox-key" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  )
}
