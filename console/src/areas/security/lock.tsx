import { Button, Modal, PasswordInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { OutboxOwners } from '@/app/outbox-owners'
import { useText } from '@/i18n'
import { useOwners } from '@/outbox'
import { fullName, type Lock, type Session, sessionStore, useSessionState } from '@/session'
import { Faults } from '@/ui/Faults'
import { useAttempt, usePasswordField } from './attempt'
import { NewPassword } from './new-password'
import './sign-in.css'

function Unlock({ lock, session }: { lock: Lock; session: Session }) {
  const t = useText()
  const attempt = useAttempt('security.lock.wrong')
  const field = usePasswordField(attempt)
  const own = useOwners().filter((one) => one.user_key === session.user_key)
  const [password, setPassword] = useState('')
  const name = fullName(session)

  const submit = (event: FormEvent) => {
    event.preventDefault()
    void attempt.run(() => sessionStore.unlock(password))
  }

  return (
    <form className="tw-sign-form" onSubmit={submit}>
      <p className="tw-sign-text">{t(`security.lock.${lock}.text`, { name })}</p>
      <Faults faults={attempt.faults} message={attempt.message} />
      <input type="text" name="username" autoComplete="username" value={session.username} readOnly hidden />
      <PasswordInput
        ref={field}
        label={t('security.lock.password', { name })}
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        withAsterisk={false}
        required
        data-autofocus
      />
      <Button type="submit" loading={attempt.busy} fullWidth>
        {t('security.lock.submit')}
      </Button>
      <Button variant="subtle" onClick={() => void attempt.run(() => sessionStore.abandon())} fullWidth>
        {t('security.lock.leave')}
      </Button>
      <OutboxOwners owners={own} />
    </form>
  )
}

/** Over the page that stays as it was: asks for the password when the session is over or nobody has been there for a while. */
export function LockDialog() {
  const t = useText()
  const state = useSessionState()
  if (state.kind !== 'signedIn' || state.lock === null) return null
  const { lock, hidden, session, change } = state
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={change ? t('security.password.title') : t(`security.lock.${lock}.title`)}
      zIndex={1000}
      attributes={{ header: { role: 'presentation' } }}
      overlayProps={{ backgroundOpacity: hidden ? 1 : 0.5, color: 'var(--tw-sunken)' }}
    >
      {change ? (
        <NewPassword username={change.username} onBack={() => sessionStore.leave()} inDialog />
      ) : (
        <Unlock lock={lock} session={session} />
      )}
    </Modal>
  )
}
