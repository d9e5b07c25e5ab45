import { Button, Modal, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useRich, useText } from '@/i18n'
import './Dialogs.css'

interface ConfirmProps {
  readonly opened: boolean
  readonly onClose: () => void
  /** The question: what will be done, to what. */
  readonly title: string
  /** What follows from it, and what cannot be undone. */
  readonly children?: ReactNode
  /** The word on the button: the deed itself, never "OK". */
  readonly action: string
  readonly onConfirm: () => void | Promise<void>
  /** Has to be typed first, for what cannot be undone: the code of the thing. */
  readonly word?: string
  readonly danger?: boolean
  readonly busy?: boolean
}

/** Asks before something is done; dangerous things only after a word was typed. */
export function Confirm(props: ConfirmProps) {
  const { opened, onClose, title, children, action, onConfirm, word, danger = false, busy = false } = props
  const t = useText()
  const rich = useRich()
  const [typed, setTyped] = useState('')
  const ready = word === undefined || typed.trim() === word
  const close = () => {
    setTyped('')
    onClose()
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!ready || busy) return
    await onConfirm()
    setTyped('')
  }
  return (
    <Modal opened={opened} onClose={close} title={title} closeButtonProps={{ 'aria-label': t('ui.close') }}>
      <form className="tw-dialog" onSubmit={submit}>
        {children && <div className="tw-dialog-text">{children}</div>}
        {word !== undefined && (
          <TextInput
            label={rich('ui.confirm.type', { word: <b className="tw-dialog-word">{word}</b> })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        )}
        <div className="tw-dialog-buttons">
          <Button variant="default" onClick={close}>
            {t('ui.cancel')}
          </Button>
          <Button
            type="submit"
            color={danger ? 'red' : undefined}
            disabled={!ready}
            loading={busy}
            data-autofocus={word === undefined || undefined}
          >
            {action}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
