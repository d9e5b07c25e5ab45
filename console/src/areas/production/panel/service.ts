/*
 * What the panel shares with the service while the page lives: signs of life, and questions about units.
 */

import { api, bare, detail, queryClient } from '@/api'
import { timed } from '@/clock'
import { sessionStore } from '@/session'
import { Heart } from './logic/heart'
import type { Serial } from './model'

function signedIn(): string | null {
  const state = sessionStore.getState()
  return state.kind === 'signedIn' ? state.session.user_key : null
}

let owner: string | null = null

/** On a locked page. */
function isAway(): boolean {
  const state = sessionStore.getState()
  return state.kind === 'signedIn' && state.lock !== null
}

const heart = new Heart({
  isAway,
  async beat(jobKey, sessionKey) {
    if (signedIn() !== owner) return false
    const params = { path: { job_key: jobKey } }
    const ask = () => api.POST('/job/{job_key}/heartbeat', { params, body: { work_session_key: sessionKey } })
    return (await detail(timed(ask))).active
  },
  onEnd: () => void queryClient.invalidateQueries({ queryKey: ['production', 'panel'] }),
  every: (milliseconds, act) => {
    const timer = setInterval(act, milliseconds)
    return () => clearInterval(timer)
  },
})

/** Beats for a job as long as its session runs and the same user is signed in, whatever page is shown. */
export function keepAlive(userKey: string, jobKey: string, sessionKey: string, maxOffline: string | number): void {
  if (owner !== userKey) heart.dropAll()
  owner = userKey
  heart.follow(jobKey, sessionKey, maxOffline)
}

export function letRest(jobKey: string): void {
  heart.drop(jobKey)
}

/** The live units that have a code, of any product. */
export function unitsWithCode(code: string): Promise<Serial[]> {
  return bare(api.GET('/serial-code', { params: { query: { serial_code: code, limit: 20 } } }))
}

/** What a unit is built into, in words; null if it is free. */
export async function parentOf(serialKey: string): Promise<string | null> {
  const parents = await bare(api.GET('/serial-parents', { params: { query: { serial_key: serialKey } } }))
  const parent = parents.at(-1)
  if (!parent) return null
  return parent.serial_code ?? parent.product_code
}

export async function productName(productKey: string): Promise<string> {
  const product = await bare(api.GET('/product/{product_key}', { params: { path: { product_key: productKey } } }))
  return product.description ? `${product.code} ${product.description}` : product.code
}

export function isFree(code: string, productKey: string): Promise<boolean> {
  const query = { serial_code: code, product_key: productKey }
  return bare(api.GET('/serial-code/verify-free', { params: { query } }))
}
