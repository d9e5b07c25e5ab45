import { type FormEvent, type KeyboardEvent, useRef } from 'react'
import { useText } from '@/i18n'
import { useGo } from '@/ui/Go'
import { Icon } from '@/ui/icons'
import { searchPage } from './addresses'
import { BOX } from './box'
import { useScanner } from './provider'
import './scan.css'

/** Puts the cursor into the scan box: call it after every action, so that the next scan or search can come. */
export function focusScan(): void {
  const box = document.getElementById(BOX)
  if (box instanceof HTMLInputElement) {
    box.focus({ preventScroll: true })
    box.select()
  }
}

/** The box in the top bar. Enter opens what has the code, or searches; the shell leads `/` here. */
export function ScanBox() {
  const t = useText()
  const go = useGo()
  const { open } = useScanner()
  const box = useRef<HTMLInputElement>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const text = box.current?.value.trim() ?? ''
    if (text === '') return go(searchPage(''))
    void open(text)
    box.current?.select()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const { currentTarget } = event
    // It leads here, also who is here already. A scanned slash is in the scan anyway.
    if (event.key === '/' && currentTarget.value === '') event.preventDefault()
    if (event.key !== 'Escape') return
    currentTarget.value = ''
    currentTarget.blur()
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
