import { Button, PasswordInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useText } from '@/i18n'
import { sessionStore } from '@/session'
import { Faults } from '@/ui/Faults'
import { faultAt, fieldPath } from '@/ui/fault-paths'
import { useAttempt } from './attempt'
import { lacksOf, type PasswordLack } from './password'

interface NewPasswordProps {
  username: string
  onBack: () => void
  /** The dialog has the title already. */
  inDialog?: boolean
}

/** The password that a temporary one has to be replaced with. */
export function NewPassword({ username, onBack, inDialog = false }: NewPasswordProps) {
  const t = useText()
  const attempt = useAttempt()
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const [lacks, setLacks] = useState<PasswordLack[]>([])
  const over = attempt.failure?.tokenEnded === true
  const own = lacks.map((lack) => ({
    path: lack === 'differ' ? 'again' : 'new_password',
    message: t(`security.password.${lack}`),
  }))
  const faults = [...own, ...attempt.faults]

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = lacksOf(password, again)
    setLacks(found)
    attempt.clear()
    if (found.length === 0) void attempt.run(() => sessionStore.choosePassword(password))
  }

  return (
    <form className="tw-sign-form" onSubmit={submit} aria-label={t('security.password.title')}>
      {!inDialog && <h1>{t('security.password.title')}</h1>}
      <p className="tw-sign-text">{t('security.password.text')}</p>
      <Faults faults={faults} message={over ? t('security.password.expired') : attempt.message} />
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <PasswordInput
        {...fieldPath('new_password')}
        label={t('security.password.new')}
        autoComplete="new-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={faultAt(faults, 'new_password')}
        required
        data-autofocus
        autoFocus
      />
      <PasswordInput
        {...fieldPath('again')}
        label={t('security.password.again')}
        autoComplete="new-password"
        value={again}
        onChange={(event) => setAgain(event.currentTarget.value)}
        error={faultAt(faults, 'again')}
        required
      />
      <Button type="submit" loading={attempt.busy} fullWidth>
        {t('security.password.submit')}
      </Button>
      <Button variant="subtle" onClick={onBack} fullWidth>
        {t('security.password.back')}
      </Button>
    </form>
  )
}
