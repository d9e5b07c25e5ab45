import { QueryClient } from '@tanstack/react-query'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { addPart, isTakenOut, nextUnlabelled, onPresent, PartsMoved, removePart } from './bench'
import { declaredIn } from './logic/components'
import { declared, jobDetail, line, unit } from './logic/samples'
import type { Declared, JobDetail, Unit } from './model'

/** The components of the batch as the service has them, and what happens while a page asks for those that are confirmed. */
const service = vi.hoisted(() => ({ parts: [] as Declared[], units: [] as Unit[], whileAsked: () => {}, puts: 0 }))

vi.mock('@/api', async (original) => {
  const answer = (detail: unknown) => Promise.resolve({ data: { detail }, response: new Response() })
  return {
    ...(await original<typeof import('@/api')>()),
    api: {
      GET: async (path: string) => {
        if (path === '/job/{job_key}') return answer(present())
        if (path === '/batch/{batch_key}/serials') return { data: service.units, response: new Response() }
        service.whileAsked()
        return { data: [], response: new Response() }
      },
      PUT: (_path: string, { body }: { body: { child_serial_key: string; parent_serial_key: string | null }[] }) => {
        service.puts += 1
        service.parts = body.map((link) => declared(link.child_serial_key, 'board', link.parent_serial_key))
        return answer([])
      },
    },
  }
})

vi.mock('@/clock', () => ({ timed: (ask: () => unknown) => ask() }))

function present(): JobDetail {
  return jobDetail({ active_batch_key: 'b', wo_bom: [line('board', 1, { declared_serials: [...service.parts] })] })
}

function board(key: string) {
  return { _key: key, code: key.toUpperCase(), product_key: 'board' }
}

/** A page whose operator scans a board into the first unit that has none. */
function page() {
  const client = new QueryClient()
  const scan = (key: string, units: readonly string[]) =>
    onPresent(client, 'j', async (job) => {
      const taken = declaredIn(job.wo_bom).map((part) => part.parent_serial_key)
      const unit = units.find((one) => !taken.includes(one))
      if (unit === undefined) return 'full'
      await addPart(client, job, 'b', board(key), unit)
      return unit
    })
  return { client, scan }
}

const links = () => service.parts.map((part) => [part._key, part.parent_serial_key])

beforeEach(() => {
  service.parts = []
  service.puts = 0
  service.whileAsked = () => {}
})

describe('two pages on one batch', () => {
  it('keep what the other has scanned', async () => {
    const [one, other] = [page(), page()]
    // Both have read the job before anybody scans.
    await onPresent(one.client, 'j', async () => null)
    await onPresent(other.client, 'j', async () => null)
    expect(await one.scan('a1', ['u1', 'u2'])).toBe('u1')
    expect(await other.scan('a2', ['u1', 'u2'])).toBe('u2')
    expect(links()).toEqual([
      ['a1', 'u1'],
      ['a2', 'u2'],
    ])
    expect(await other.scan('a3', ['u1', 'u2'])).toBe('full')
    expect(service.puts).toBe(2)
  })

  it('judge again what changes between the judgement and the writing', async () => {
    service.parts = [declared('b1', 'board', 'u3')]
    service.whileAsked = () => {
      service.parts = [declared('b1', 'board', 'u3'), declared('b2', 'board', 'u1')]
    }
    expect(await page().scan('b3', ['u1', 'u2'])).toBe('u2')
    expect(links()).toEqual([
      ['b1', 'u3'],
      ['b2', 'u1'],
      ['b3', 'u2'],
    ])
  })

  it('take out only what was meant', async () => {
    const [one, other] = [page(), page()]
    await one.scan('c1', ['u1', 'u2'])
    await other.scan('c2', ['u1', 'u2'])
    await removePart(one.client, 'j', 'b', 'c1')
    expect(links()).toEqual([['c2', 'u2']])
    expect(isTakenOut(present(), 'c1')).toBe(false)
    service.parts = []
    expect(isTakenOut(present(), 'c2')).toBe(true)
  })

  it('give up when the components never stand still', async () => {
    const { client } = page()
    let number = 0
    const act = vi.fn(async () => {
      number += 1
      throw new PartsMoved()
    })
    await expect(onPresent(client, 'j', act)).rejects.toBeInstanceOf(PartsMoved)
    expect(number).toBe(4)
  })
})

describe('labels', () => {
  it('are for the next unit as the service has them, though the page has not read the last one', async () => {
    const client = new QueryClient()
    service.units = [unit('u1', null, null), unit('u2', null, null)]
    expect((await nextUnlabelled(client, 'b', []))?.serial_key).toBe('u1')
    service.units = [unit('u1', 'L1', null), unit('u2', null, null)]
    expect((await nextUnlabelled(client, 'b', []))?.serial_key).toBe('u2')
    service.units = [unit('u1', 'L1', null), unit('u2', 'L2', null)]
    expect(await nextUnlabelled(client, 'b', [])).toBeUndefined()
  })

  it('are for scrapped units last', async () => {
    service.units = [unit('u1', null, null), unit('u2', null, null)]
    expect((await nextUnlabelled(new QueryClient(), 'b', ['u1']))?.serial_key).toBe('u2')
  })
})
