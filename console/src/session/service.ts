/*
 * What the session asks of the service. The token of a sign-in goes straight on to `/console/session`, which keeps it in a cookie that
 * no script can read.
 */

import { api, detail, plainApi } from '@/api/client'
import { ApiFailure, readFailure } from '@/api/faults'
import { consoleHeader } from '@/api/transport'
import { milliseconds } from './duration'
import type { PasswordChange, Preferences, Session } from './machine'

export interface SessionService {
  /** The session that the cookie stands for; throws a 401 if there is none. */
  current(): Promise<Session>
  /** The key of the user that the cookie stands for. */
  whoami(): Promise<string>
  /** Signs in. Either the cookie is set, or a password has to be chosen first. */
  signIn(username: string, password: string): Promise<PasswordChange | null>
  changePassword(change: PasswordChange, password: string): Promise<void>
  verify(userKey: string, password: string): Promise<void>
  close(sessionKey: string): Promise<void>
  dropCookie(): Promise<void>
  savePreferences(change: Preferences): Promise<Preferences>
}

async function cookie(method: 'POST' | 'DELETE', token?: string): Promise<void> {
  const headers: Record<string, string> = { [consoleHeader]: '1' }
  if (token !== undefined) headers.Authorization = `Bearer ${token}`
  let response: Response
  try {
    response = await fetch('/console/session', {
      method,
      headers,
      credentials: 'same-origin',
      signal: AbortSignal.timeout(60_000),
    })
  } catch {
    throw new ApiFailure({ status: 0, message: '' })
  }
  if (!response.ok) throw await readFailure(response)
}

async function current(): Promise<Session> {
  const who = await detail(plainApi.GET('/whoami'))
  const [started, scopes] = await Promise.all([
    detail(plainApi.POST('/session', { body: { user_key: who.user_key } })),
    detail(plainApi.GET('/scope')),
  ])
  const { session_key, user_key, name, surname, preferences, expires_at } = started
  return {
    session_key,
    user_key,
    username: who.username,
    name,
    surname,
    scope: started.scope.split(/\s+/).filter((word) => word !== ''),
    rights: new Set(scopes.mine),
    preferences,
    idleAfter: milliseconds(started.timeout),
    expires_at,
  }
}

async function signIn(username: string, password: string): Promise<PasswordChange | null> {
  const { data } = await plainApi.POST('/auth', {
    body: { username, password },
    bodySerializer: (form) => new URLSearchParams({ username: form.username, password: form.password }),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  })
  if (!data) throw new Error('the answer has no body')
  if (data.detail.action === 'reset_password') {
    return { user_key: data.detail.user_key, username, token: data.access_token }
  }
  await cookie('POST', data.access_token)
  return null
}

export const service: SessionService = {
  current,
  signIn,
  whoami: async () => (await detail(plainApi.GET('/whoami'))).user_key,
  changePassword: async ({ user_key, token }, new_password) => {
    await plainApi.PUT('/user/{user_key}/password', {
      params: { path: { user_key } },
      body: { new_password },
      headers: { Authorization: `Bearer ${token}` },
    })
  },
  verify: async (user_key, password) => {
    await plainApi.POST('/user/{user_key}/verify', { params: { path: { user_key } }, body: { password } })
  },
  close: async (session_key) => {
    await plainApi.DELETE('/session/{session_key}', { params: { path: { session_key } } })
  },
  dropCookie: () => cookie('DELETE'),
  savePreferences: (change) => detail(api.PATCH('/preferences', { body: change })),
}
