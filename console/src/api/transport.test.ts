import { describe, expect, it, vi } from 'vitest'
import { FakeClock } from '@/live/fake-clock'
import { transport } from './transport'

const ended = () => Response.json({ detail: { message: 'The token is not valid.', code: 'token' } }, { status: 401 })

function parts(answers: ((signal: AbortSignal) => Response | Promise<Response>)[], renewed = true) {
  const sent: Request[] = []
  const heard = vi.fn()
  const tokenEnded = vi.fn(async () => renewed)
  const doubt = vi.fn()
  const clock = new FakeClock()
  const fetch = (request: Request, signal: AbortSignal) => {
    sent.push(request)
    const answer = answers[sent.length - 1]
    if (!answer) throw new Error('one request too many')
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))),
    )
    return Promise.race([answer(signal), aborted])
  }
  const session = new AbortController()
  const send = transport({ fetch, heard, doubt, tokenEnded, session: () => session.signal, clock })
  return { sent, heard, doubt, tokenEnded, session, clock, send }
}

const never = () => new Promise<Response>(() => undefined)

const request = (init?: RequestInit) => new Request('http://x/api/event', init)

describe('the transport', () => {
  it('marks requests as the console, so that the cookie counts', async () => {
    const { send, sent } = parts([() => Response.json({})])
    await send(request())
    expect(sent[0]?.headers.get('X-Tracewright-Console')).toBe('1')
  })

  it('sends the same request again once the same user has signed in', async () => {
    const { send, sent, tokenEnded, clock } = parts([ended, () => Response.json({ ok: true })])
    await clock.pass(42)
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

  it('never repeats a request after whoever sent it has left, though its token was refused', async () => {
    const { send, sent, tokenEnded, session } = parts([ended, () => Response.json({})])
    tokenEnded.mockImplementation(async () => {
      session.abort()
      return true
    })
    await expect(send(request({ method: 'PATCH', body: '{}' }))).rejects.toMatchObject({ offline: true })
    expect(sent).toHaveLength(1)
  })

  it('ends what is under way when its user leaves, and sends nothing that would follow it', async () => {
    const { send, sent, session } = parts([never, () => Response.json({})])
    const first = expect(send(request())).rejects.toMatchObject({ offline: true })
    await Promise.resolve()
    session.abort()
    await first
    await expect(send(request())).rejects.toMatchObject({ offline: true })
    expect(sent).toHaveLength(1)
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

  it('asks whether the line is there when an answer does not come, and gives up in the end', async () => {
    const { send, heard, doubt, clock } = parts([never])
    const answer = expect(send(request(), { doubtAfter: 3_000, limit: 15_000 })).rejects.toMatchObject({
      offline: true,
    })
    await clock.pass(2_999)
    expect(doubt).not.toHaveBeenCalled()
    await clock.pass(1)
    expect(doubt).toHaveBeenCalledOnce()
    await clock.pass(12_000)
    await answer
    expect(doubt).toHaveBeenCalledTimes(2)
    expect(heard).not.toHaveBeenCalled()
  })

  it('gives up an answer that stops halfway', async () => {
    const stuck = (signal: AbortSignal) => {
      const body = new ReadableStream<Uint8Array>({
        start: (one) => {
          one.enqueue(new TextEncoder().encode('{"a":'))
          signal.addEventListener('abort', () => one.error(signal.reason))
        },
      })
      return new Response(body, { headers: { 'Content-Type': 'application/json' } })
    }
    const { send, clock } = parts([stuck])
    const answer = expect(send(request(), { limit: 15_000 })).rejects.toMatchObject({ offline: true })
    await clock.pass(15_000)
    await answer
  })

  it('doubts nothing once the answer is there, and waits without end where there is no limit', async () => {
    const { send, doubt, clock } = parts([() => Response.json({}), never])
    await send(request(), { doubtAfter: 3_000, limit: 15_000 })
    const settledWith = vi.fn()
    send(request()).then(settledWith, settledWith)
    await clock.pass(600_000)
    expect(doubt).not.toHaveBeenCalled()
    expect(settledWith).not.toHaveBeenCalled()
  })
})
