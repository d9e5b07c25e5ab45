/*
 * The API without the console: to prepare what a journey begins with, and to see what it has left behind.
 */

import createClient, { type Client } from 'openapi-fetch'
import type { paths } from '@/api/schema'
import { password } from './plant'

export type Api = Client<paths>

export async function tokenOf(url: string, username: string, word = password): Promise<string> {
  const answer = await fetch(`${url}/api/auth`, {
    method: 'POST',
    body: new URLSearchParams({ username, password: word }),
  })
  if (!answer.ok) throw new Error(`${username} could not sign in: ${answer.status} ${await answer.text()}`)
  const { access_token } = (await answer.json()) as { access_token: string }
  return access_token
}

export async function connect(url: string, username: string): Promise<Api> {
  const token = await tokenOf(url, username)
  const client = createClient<paths>({ baseUrl: `${url}/api`, headers: { Authorization: `Bearer ${token}` } })
  client.use({
    onResponse: async ({ request, response }) => {
      if (response.ok) return
      throw new Error(`${request.method} ${request.url}: ${response.status} ${await response.clone().text()}`)
    },
  })
  return client
}

/** The body of an answer. */
export async function body<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data } = await answer
  if (data === undefined) throw new Error('the answer has no body')
  return data
}
