import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiFailure } from '@/api'
import { job } from './fixtures'
import { closeJobs, splitJob } from './mutations'
import { Sending, settling } from './sending'

/** A job of ten that a lost answer has split already. */
const service = vi.hoisted(() => ({
  planned: 10,
  made: [] as number[],
  answers: new Set<string>(),
  lost: 0,
}))

vi.mock('@/api', async (original) => {
  const answer = (detail: unknown) => ({ data: { detail }, response: new Response() })
  const real = await original<typeof import('@/api')>()
  return {
    ...real,
    api: {
      GET: async () => answer({ jobs: [{ _key: 'j1', qt_planned: service.planned }] }),
      POST: async (_path: string, { params, body }: Posted) => {
        const key = params.header['Idempotency-Key']
        if (!service.answers.has(key)) {
          service.answers.add(key)
          for (const { action, data } of body) {
            if (action === 'update') service.planned = Number(data.qt_planned)
            if (action === 'insert') service.made.push(Number(data.qt_planned))
          }
        }
        if (service.lost-- > 0) throw new real.ApiFailure({ status: 0, message: '' })
        return answer([])
      },
    },
  }
})

interface Posted {
  readonly params: { header: { 'Idempotency-Key': string } }
  readonly body: { action: string; data: { qt_planned?: string } }[]
}

beforeEach(() => {
  Object.assign(service, { planned: 10, made: [], answers: new Set(), lost: 0 })
})

function split(sending: Sending, planned: number, quantity = '3') {
  return settling(sending, () => splitJob(sending, job({ qt_planned: planned }), quantity, null))
}

describe('a split', () => {
  it('whose answer was lost is carried out once, although the page has read the job again', async () => {
    const sending = new Sending()
    service.lost = 1
    await expect(split(sending, 10)).rejects.toMatchObject({ offline: true })
    await split(sending, 7)
    expect([service.planned, ...service.made]).toEqual([7, 3])
    expect(service.answers.size).toBe(1)
  })

  it('that was answered is a new one the next time', async () => {
    const sending = new Sending()
    await split(sending, 10)
    await split(sending, 7)
    expect([service.planned, ...service.made]).toEqual([4, 3, 3])
  })

  it('begins with what the job has now, not with what the page has read', async () => {
    service.planned = 8
    await split(new Sending(), 10)
    expect([service.planned, ...service.made]).toEqual([5, 3])
  })
})

describe('a request', () => {
  it('keeps its key until the service has answered', async () => {
    const sending = new Sending()
    service.lost = 1
    const close = () => settling(sending, () => closeJobs(sending, ['a']))
    await expect(close()).rejects.toThrow()
    await close()
    expect(service.answers.size).toBe(1)
    await close()
    expect(service.answers.size).toBe(2)
  })

  it('that was refused gets another key', async () => {
    const sending = new Sending()
    const key = sending.keyFor('a')
    const refuse = (status: number) => settling(sending, () => Promise.reject(new ApiFailure({ status, message: '' })))
    await expect(refuse(503)).rejects.toThrow()
    expect(sending.keyFor('a')).toBe(key)
    await expect(refuse(422)).rejects.toThrow()
    expect(sending.keyFor('a')).not.toBe(key)
  })
})
