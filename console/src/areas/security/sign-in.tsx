import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { safeTarget } from '@/app/guard'
import { OutboxOwners } from '@/app/outbox-owners'
import { PageTitle } from '@/app/title'
import { useText } from '@/i18n'
import { useOwners } from '@/outbox'
import { sessionStore, useSessionState } from '@/session'
import { Faults } from '@/ui/Faults'
import { faultAt, fieldPath } from '@/ui/fault-paths'
import { useAttempt, usePasswordField } from './attempt'
import { companyQuery } from './company'
import { Languages } from './languages'
import { NewPassword } from './new-password'
import { signInRoute } from './routes'
import './sign-in.css'

function Company() {
  const t = useText()
  const { data } = useQuery(companyQuery)
  const name = data?.name ?? ''
  return (
    <div className="tw-sign-company">
      {data?.logo && <img src={data.logo} alt={t('security.signIn.logo', { company: name })} />}
      <span>{name}</span>
    </div>
  )
}

function SignInForm() {
  const t = useText()
  const attempt = useAttempt()
  const field = usePasswordField(attempt)
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')

  const submit = (event: FormEvent) => {
    event.preventDefault()
    void attempt.run(() => sessionStore.signIn(username, password))
  }

  return (
    <form className="tw-sign-form" onSubmit={submit} aria-labelledby="tw-sign-in">
      <h1 id="tw-sign-in">{t('security.signIn.title')}</h1>
      <Faults faults={attempt.faults} message={attempt.message} />
      <TextInput
        {...fieldPath('username')}
        label={t('security.signIn.username')}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        value={username}
        onChange={(event) => setUsername(event.currentTarget.value)}
        error={faultAt(attempt.faults, 'username')}
        withAsterisk={false}
        required
        autoFocus
      />
      <PasswordInput
        {...fieldPath('password')}
        ref={field}
        label={t('security.signIn.password')}
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={faultAt(attempt.faults, 'password')}
        withAsterisk={false}
        required
      />
      <Button type="submit" loading={attempt.busy} fullWidth>
        {t('security.signIn.submit')}
      </Button>
    </form>
  )
}

export default function SignInPage() {
  const t = useText()
  const state = useSessionState()
  const owners = useOwners()
  const { to } = signInRoute.useSearch()
  if (state.kind === 'signedIn') return <Navigate to={safeTarget(to)} replace />
  const change = state.kind === 'signedOut' ? state.change : null
  return (
    <main className="tw-sign">
      <PageTitle>{change ? t('security.password.title') : t('security.signIn.title')}</PageTitle>
      <div className="tw-sign-card">
        <Company />
        {change ? <NewPassword username={change.username} onBack={() => sessionStore.leave()} /> : <SignInForm />}
        <OutboxOwners owners={owners} />
        <Languages />
      </div>
    </main>
  )
}
