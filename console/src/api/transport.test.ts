import { describe, expect, it, vi } from 'vitest'
import { transport } from './transport'

const ended = () => Response.json({ detail: { message: 'The token is not valid.', code: 'token' } }, { status: 401 })

function parts(answers: (() => Response | Promise<Response>)[], renewed = true) {
  const sent: Request[] = []
  const heard = vi.fn()
  const tokenEnded = vi.fn(async () => renewed)
  const fetch = async (request: Request) => {
    sent.push(request)
    const answer = answers[sent.length - 1]
    if (!answer) throw new Error('one request too many')
    return answer()
  }
  return { sent, heard, tokenEnded, send: transport({ fetch, heard, tokenEnded, now: () => 42 }) }
}

const request = (init?: RequestInit) => new Request('http://x/api/event', init)

describe('the transport', () => {
  it('marks requests as the console, so that the cookie counts', async () => {
    const { send, sent } = parts([() => Response.json({})])
    await send(request())
    expect(sent[0]?.headers.get('X-Tracewright-Console')).toBe('1')
  })

  it('sends the same request again once the same user has signed in', async () => {
    const { send, sent, tokenEnded } = parts([ended, () => Response.json({ ok: true })])
    const answer = await send(request({ method: 'POST', body: '{"a":1}', headers: { 'Idempotency-Key': 'k' } }))
    expect(await answer.json()).toEqual({ ok: true })
    expect(tokenEnded).toHaveBeenCalledWith(42)
    expect(await sent[1]?.text()).toBe('{"a":1}')
    expect(sent[1]?.headers.get('Idempotency-Key')).toBe('k')
  })

  it('gives up if somebody else signs in, and never tries a third time', async () => {
    await expect(parts([ended], false).send(request())).rejects.toMatchObject({ status: 401 })
    await expect(parts([ended, ended]).send(request())).rejects.toMatchObject({ status: 401 })
  })

  it('does not wait for a token that the request brought itself', async () => {
    const { send, tokenEnded } = parts([ended])
    await expect(send(request({ headers: { Authorization: 'Bearer x' } }))).rejects.toMatchObject({ code: 'token' })
    expect(tokenEnded).not.toHaveBeenCalled()
  })

  it('tells whether an answer came', async () => {
    const cut = parts([() => Promise.reject(new TypeError('Failed to fetch'))])
    await expect(cut.send(request())).rejects.toMatchObject({ status: 0, offline: true })
    expect(cut.heard).toHaveBeenCalledWith(false)
    const refused = parts([() => Response.json({ detail: 'No.' }, { status: 404 })])
    await expect(refused.send(request())).rejects.toMatchObject({ status: 404, message: 'No.' })
    expect(refused.heard).toHaveBeenCalledWith(true)
  })

  it('does not take the words of a proxy for an answer of the service', async () => {
    const { send, heard } = parts([() => new Response('Bad gateway', { status: 502 })])
    await expect(send(request())).rejects.toMatchObject({ status: 502, temporary: true })
    expect(heard).toHaveBeenCalledWith(false)
  })

  it('passes an aborted request on as such: nobody waits for it any more', async () => {
    const { send, heard } = parts([() => Promise.reject(new DOMException('', 'AbortError'))])
    await expect(send(request())).rejects.toMatchObject({ name: 'AbortError' })
    expect(heard).not.toHaveBeenCalled()
  })

  it('keeps the digits of long numbers, and the headers', async () => {
    const headers = { 'Content-Type': 'application/json', 'X-Total-Count': '3' }
    const { send } = parts([() => new Response('[123456789012.123457]', { headers })])
    const answer = await send(request())
    expect(await answer.json()).toEqual(['123456789012.123457'])
    expect(answer.headers.get('X-Total-Count')).toBe('3')
  })
})
