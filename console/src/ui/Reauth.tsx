import { Button, Modal, PasswordInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { api, failureOf } from '@/api'
import { type Text, useText } from '@/i18n'
import { failureWords } from './failure-words'
import './Dialogs.css'

interface ReauthProps {
  readonly opened: boolean
  readonly onClose: () => void
  /** Whose password: that of the one who signs. */
  readonly userKey: string
  /** The name that people know. */
  readonly name: string
  /** What is signed. */
  readonly children?: ReactNode
  /** The word on the button; "Sign" where left out. */
  readonly action?: string
  /** After the password was right. */
  readonly onVerified: () => void | Promise<void>
}

/** Asks for the password again, in place, before something is signed. What was typed beneath stays. */
export function Reauth({ opened, onClose, userKey, name, children, action, onVerified }: ReauthProps) {
  const t = useText()
  const [password, setPassword] = useState('')
  const [fault, setFault] = useState<string>()
  const [busy, setBusy] = useState(false)
  const close = () => {
    setPassword('')
    setFault(undefined)
    onClose()
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (password === '' || busy) return
    setBusy(true)
    const wrong = await verify(t, userKey, password)
    setPassword('')
    setFault(wrong)
    try {
      if (wrong === undefined) await onVerified()
    } finally {
      setBusy(false)
    }
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={t('ui.reauth.title')}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      <form className="tw-dialog" onSubmit={submit}>
        <div className="tw-dialog-text">
          {children}
          <p>{t('ui.reauth.why', { name })}</p>
        </div>
        <PasswordInput
          label={t('ui.reauth.password')}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={fault}
          autoComplete="current-password"
          data-autofocus
        />
        <div className="tw-dialog-buttons">
          <Button variant="default" onClick={close}>
            {t('ui.cancel')}
          </Button>
          <Button type="submit" loading={busy} disabled={password === ''}>
            {action ?? t('ui.reauth.sign')}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

/** Undefined if the password is right, else what is wrong. */
async function verify(t: Text, userKey: string, password: string): Promise<string | undefined> {
  try {
    await api.POST('/user/{user_key}/verify', { params: { path: { user_key: userKey } }, body: { password } })
    return undefined
  } catch (error) {
    const failure = failureOf(error)
    if (failure.status === 429) return t('ui.reauth.wait', { seconds: failure.retryAfter ?? 60 })
    if (failure.status === 401) return t('ui.reauth.wrong')
    return failureWords(t, failure)
  }
}
