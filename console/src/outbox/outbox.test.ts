import { beforeEach, describe, expect, it } from 'vitest'
import { ApiFailure } from '@/api/faults'
import { FakeClock, settled } from '@/live/fake-clock'
import { Outbox } from './outbox'
import { AnswerMissed, KeptRefusal, keyLife, type OutboxRequest } from './queue'
import { type EntryStorage, memoryStorage } from './storage'

interface Sent {
  as: string
  key: string
  body: unknown
}

let clock: FakeClock
let storage: EntryStorage
let sent: Sent[]
/** Keys whose change was made, as the service would know them. */
let done: Map<string, unknown>
let user: string
let answer: (sent: Sent) => unknown
let keys: number
/** What the tabs have told each other. */
let told: [string, unknown][]

const event = (body: string, rest: Partial<OutboxRequest> = {}): OutboxRequest => ({
  method: 'POST',
  path: '/event',
  body,
  ...rest,
})
const cut = () => {
  throw new ApiFailure({ status: 0, message: '' })
}
const refuse = (status = 422) => {
  throw new ApiFailure({ status, message: 'The part is used.', errorType: 'SerialNotLinkedError' })
}

function open(): Outbox {
  return new Outbox({
    clock,
    storage,
    newKey: () => `k${++keys}`,
    send: async ({ body }, key) => {
      const one = { as: user, key, body }
      sent.push(one)
      const result = answer(one)
      if (!done.has(key)) done.set(key, body)
      return result
    },
    whoami: async () => user,
    alone: (run) => run(),
    tell: (...one) => told.push(one),
  })
}

beforeEach(() => {
  clock = new FakeClock()
  storage = memoryStorage()
  sent = []
  done = new Map()
  user = 'mia'
  keys = 0
  told = []
  answer = ({ body }) => ({ detail: body })
})

describe('the outbox', () => {
  it('sends at once while the line is up, and hands the answer to the caller', async () => {
    const outbox = open()
    outbox.signedIn('mia')
    await expect(outbox.enqueue(event('1'), 'Step')).resolves.toEqual({ detail: '1' })
    expect(outbox.getEntries()).toEqual([])
    expect(storage.all()).toEqual([])
  })

  it('keeps the order, and the key of each entry, over a cut line', async () => {
    const outbox = open()
    outbox.signedIn('mia')
    answer = cut
    const answers = [outbox.enqueue(event('a'), 'A'), outbox.enqueue(event('b'), 'B')]
    await clock.pass(30_000)
    expect(new Set(sent.map((one) => one.key))).toEqual(new Set(['k1']))
    answer = ({ body }) => body
    await clock.pass(10_000)
    expect(await Promise.all(answers)).toEqual(['a', 'b'])
    expect(sent.slice(-2).map((one) => one.key)).toEqual(['k1', 'k2'])
  })

  it('goes on by itself when the line is back', async () => {
    const outbox = open()
    outbox.signedIn('mia')
    answer = cut
    const answered = outbox.enqueue(event('a'), 'A')
    await settled()
    answer = ({ body }) => body
    await outbox.flush()
    expect(await answered).toBe('a')
  })

  it('waits as long as the service asks', async () => {
    const outbox = open()
    outbox.signedIn('mia')
    answer = () => {
      throw new ApiFailure({ status: 503, message: 'Busy.', retryAfter: 20 })
    }
    void outbox.enqueue(event('a'), 'A')
    await clock.pass(19_999)
    expect(sent).toHaveLength(1)
    await clock.pass(1)
    expect(sent).toHaveLength(2)
  })

  it('keeps what the service refuses, with its words, and sends the rest', async () => {
    const outbox = open()
    outbox.signedIn('mia')
    answer = ({ body }) => (body === 'bad' ? refuse() : body)
    const bad = outbox.enqueue(event('bad'), 'Bad')
    const good = outbox.enqueue(event('good'), 'Good')
    await expect(bad).rejects.toMatchObject({ status: 422 })
    expect(await good).toBe('good')
    expect(outbox.getEntries()).toMatchObject([
      { label: 'Bad', refusal: { status: 422, message: 'The part is used.' } },
    ])
    answer = ({ body }) => body
    outbox.retry('k1')
    await settled()
    expect(sent.at(-1)).toMatchObject({ key: 'k1', body: 'bad' })
    expect(outbox.getEntries()).toEqual([])
  })

  it('holds back what follows a refused entry of the same group until somebody decides', async () => {
    const outbox = open()
    outbox.signedIn('mia')
    answer = ({ body }) => (body === 'step' ? refuse() : body)
    const step = outbox.enqueue(event('step', { group: 'job' }), 'Step')
    const complete = outbox.enqueue(event('complete', { group: 'job' }), 'Complete')
    const elsewhere = outbox.enqueue(event('other', { group: 'job 2' }), 'Other')
    await expect(step).rejects.toBeInstanceOf(ApiFailure)
    expect(await elsewhere).toBe('other')
    expect(sent.map((one) => one.body)).toEqual(['step', 'other'])
    outbox.discard('k1')
    expect(await complete).toBe('complete')
  })

  it('drops a refusal that the caller shows, but not one that nobody sees', async () => {
    const outbox = open()
    outbox.signedIn('mia')
    answer = () => refuse()
    await expect(outbox.enqueue(event('scan', { refused: 'drop' }), 'Scan')).rejects.toMatchObject({ status: 422 })
    expect(outbox.getEntries()).toEqual([])

    answer = cut
    void outbox.enqueue(event('scan', { refused: 'drop' }), 'Scan')
    await settled()
    answer = () => refuse()
    const reloaded = open()
    reloaded.signedIn('mia')
    await settled()
    expect(reloaded.getEntries()).toMatchObject([{ refusal: { status: 422 } }])
  })

  it('keeps a refusal that came late: people have gone on by then, and what they did next builds on it', async () => {
    const outbox = open()
    outbox.signedIn('mia')
    answer = cut
    const step = outbox.enqueue(event('step', { group: 'job', refused: 'drop' }), 'Step')
    await settled()
    void outbox.enqueue(event('complete', { group: 'job' }), 'Complete')
    answer = ({ body }) => (body === 'step' ? refuse() : body)
    sent = []
    await outbox.flush()
    await expect(step).rejects.toBeInstanceOf(KeptRefusal)
    expect(sent.map((one) => one.body)).toEqual(['step'])
    expect(outbox.getEntries()).toMatchObject([{ label: 'Step', refusal: { status: 422 } }, { label: 'Complete' }])
  })

  it('keeps a refusal of the first attempt, too, if more was queued behind it meanwhile', async () => {
    const outbox = open()
    outbox.signedIn('mia')
    answer = ({ body }) => {
      if (body !== 'step') return body
      void outbox.enqueue(event('complete', { group: 'job' }), 'Complete')
      return refuse()
    }
    const step = outbox.enqueue(event('step', { group: 'job', refused: 'drop' }), 'Step')
    await expect(step).rejects.toBeInstanceOf(KeptRefusal)
    expect(sent.map((one) => one.body)).toEqual(['step'])
    expect(outbox.getEntries().map((one) => one.label)).toEqual(['Step', 'Complete'])
  })

  it('keeps a refusal if the page that queued the entry is gone', async () => {
    const outbox = open()
    outbox.signedIn('mia')
    answer = () => refuse()
    const scan = outbox.enqueue(event('scan', { refused: 'drop' }), 'Scan', () => false)
    await expect(scan).rejects.toBeInstanceOf(KeptRefusal)
    expect(outbox.getEntries()).toMatchObject([{ label: 'Scan', refusal: { status: 422 } }])
  })

  it('keeps the order when the clock of the device is set back', async () => {
    const outbox = open()
    outbox.signedIn('mia')
    answer = cut
    await clock.pass(50_000)
    void outbox.enqueue(event('a'), 'A')
    await settled()
    clock = new FakeClock()
    const second = open()
    second.signedIn('mia')
    void second.enqueue(event('b'), 'B')
    await settled()
    expect(open().getEntries()).toMatchObject([
      { label: 'A', queuedAt: 50_000 },
      { label: 'B', queuedAt: 0 },
    ])
  })

  it('loses nothing over a reload, and repeats nothing', async () => {
    const first = open()
    first.signedIn('mia')
    answer = cut
    for (const body of ['a', 'b', 'c']) void first.enqueue(event(body), body)
    await settled()
    // The first entry arrives, but its answer does not.
    done.set('k1', 'a')
    answer = ({ key, body }) => (done.has(key) ? 'replayed' : body)
    const second = open()
    expect(second.getEntries().map((entry) => entry.label)).toEqual(['a', 'b', 'c'])
    second.signedIn('mia')
    await settled()
    expect([...done]).toEqual([
      ['k1', 'a'],
      ['k2', 'b'],
      ['k3', 'c'],
    ])
    expect(storage.all()).toEqual([])
  })

  describe('with another tab that sends the entry', () => {
    /** The line is cut in the tab that queues; the other one sends when it is back. */
    async function queued(request = event('a')) {
      const first = open()
      first.signedIn('mia')
      answer = cut
      const waiting = first.enqueue(request, 'A')
      const outcome = waiting.then(
        (value) => ['answer', value],
        (error: unknown) => ['error', error],
      )
      await settled()
      first.signedIn(null)
      return { first, outcome, second: open() }
    }

    it('hands over the answer that the other tab tells', async () => {
      const { first, outcome, second } = await queued()
      answer = ({ body }) => ({ detail: body })
      second.signedIn('mia')
      await settled()
      first.reload()
      expect(told).toEqual([['k1', { detail: 'a' }]])
      first.heard('k1', { detail: 'a' })
      expect(await outcome).toEqual(['answer', { detail: 'a' }])
      expect(first.getEntries()).toEqual([])
    })

    it('says that the answer was missed if nobody tells it', async () => {
      const { first, outcome, second } = await queued()
      answer = ({ body }) => body
      second.signedIn('mia')
      await settled()
      first.reload()
      await clock.pass(1_000)
      expect(await outcome).toEqual(['error', expect.any(AnswerMissed)])
    })

    it('hands over a refusal, which stays on the list', async () => {
      const { first, outcome, second } = await queued(event('a', { refused: 'drop' }))
      answer = () => refuse()
      second.signedIn('mia')
      await settled()
      first.reload()
      const [, error] = await outcome
      expect(error).toBeInstanceOf(KeptRefusal)
      expect(error).toMatchObject({ status: 422, message: 'The part is used.' })
      expect(first.getEntries()).toMatchObject([{ label: 'A', refusal: { status: 422 } }])
    })

    it('waits on while the entry waits', async () => {
      const { first, outcome } = await queued()
      first.reload()
      await clock.pass(60_000)
      answer = ({ body }) => body
      first.signedIn('mia')
      expect(await outcome).toEqual(['answer', 'a'])
      expect(told).toEqual([])
    })
  })

  it('sends nothing of one user as another', async () => {
    const outbox = open()
    outbox.signedIn('mia')
    answer = cut
    void outbox.enqueue(event('of mia'), 'A')
    await settled()
    sent = []
    answer = ({ body }) => body
    user = 'ben'
    // Another tab has signed in as somebody else, and this one does not know yet.
    await outbox.flush()
    expect(sent).toEqual([])
    outbox.signedIn('ben')
    await outbox.enqueue(event('of ben'), 'B')
    expect(sent).toEqual([{ as: 'ben', key: 'k2', body: 'of ben' }])
    expect(outbox.getEntries()).toMatchObject([{ user_key: 'mia', refusal: null }])
    user = 'mia'
    outbox.signedIn('mia')
    await settled()
    expect(sent.at(-1)).toEqual({ as: 'mia', key: 'k1', body: 'of mia' })
  })

  it('stops as soon as somebody else has signed in, even between two entries', async () => {
    const outbox = open()
    outbox.signedIn('mia', 'Mia Rossi')
    answer = cut
    for (const body of ['a', 'b', 'c']) void outbox.enqueue(event(body), body)
    await settled()
    sent = []
    answer = ({ body }) => {
      if (body === 'b') user = 'ben'
      return body
    }
    await outbox.flush()
    expect(sent.map(({ as, body }) => [as, body])).toEqual([
      ['mia', 'a'],
      ['mia', 'b'],
    ])
    expect(outbox.getEntries()).toMatchObject([{ label: 'c', user_key: 'mia', user_name: 'Mia Rossi' }])
  })

  it('sends nothing while the page is locked', async () => {
    const outbox = open()
    outbox.signedIn('mia')
    answer = cut
    void outbox.enqueue(event('a'), 'A')
    await settled()
    sent = []
    outbox.signedIn(null)
    await clock.pass(60_000)
    expect(sent).toEqual([])
    await expect(outbox.enqueue(event('b'), 'B')).rejects.toThrow()
  })

  it('asks a person about what may have been done more than a day ago', async () => {
    const outbox = open()
    outbox.signedIn('mia')
    answer = cut
    void outbox.enqueue(event('a'), 'A')
    await settled()
    outbox.signedIn(null)
    await clock.pass(keyLife + 1)
    sent = []
    answer = ({ body }) => body
    outbox.signedIn('mia')
    await settled()
    expect(sent).toEqual([])
    expect(outbox.getEntries()).toMatchObject([{ refusal: { uncertain: true } }])
    outbox.retry('k1')
    await settled()
    expect(sent).toHaveLength(1)
  })

  it('is not blocked for ever by a request that makes the service fail', async () => {
    const outbox = open()
    outbox.signedIn('mia')
    answer = ({ body }) => (body === 'bad' ? refuse(500) : body)
    const bad = outbox.enqueue(event('bad'), 'Bad')
    const good = outbox.enqueue(event('good'), 'Good')
    bad.catch(() => undefined)
    await clock.pass(60_000)
    expect(await good).toBe('good')
    expect(sent.filter((one) => one.body === 'bad')).toHaveLength(3)
  })

  it('does not bring back what was discarded while it was sent', async () => {
    const outbox = open()
    outbox.signedIn('mia')
    answer = () => {
      outbox.discard('k1')
      return refuse()
    }
    void outbox.enqueue(event('a'), 'A')
    await settled()
    expect(outbox.getEntries()).toEqual([])
    expect(storage.all()).toEqual([])
  })

  it('says at once if there is no room to store', async () => {
    storage = {
      ...memoryStorage(),
      put: () => {
        throw new DOMException('', 'QuotaExceededError')
      },
    }
    const outbox = open()
    outbox.signedIn('mia')
    await expect(outbox.enqueue(event('a'), 'A')).rejects.toMatchObject({ name: 'QuotaExceededError' })
    expect(outbox.getEntries()).toEqual([])
  })
})
