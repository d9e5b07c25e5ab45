import { describe, expect, it, vi } from 'vitest'
import { ApiFailure } from '@/api/faults'
import { pageOfHit, searchPage } from './addresses'
import { parseScan } from './gs1'
import { type Finders, type Hit, type HitKind, KINDS, questions, resolve, startsWith } from './resolve'

const hit = (kind: HitKind, code: string, key = `${kind}-1`): Hit => ({ kind, key, code })
const signal = new AbortController().signal

function finders(given: Partial<Finders>): Finders {
  const none = () => Promise.resolve([])
  return { serial: none, product: none, order: none, position: none, task: none, issue: none, ...given }
}

describe('questions', () => {
  it('ask every kind for a plain code', () => {
    expect(questions(parseScan('P-1')).map(({ kind }) => kind)).toEqual([...KINDS])
  })

  it('ask for the serial of a GS1 string, and for the product only without one', () => {
    expect(questions(parseScan('(01)09506000134352(21)A7'))).toEqual([{ kind: 'serial', code: 'A7' }])
    expect(questions(parseScan('(01)09506000134352(10)L1'))).toEqual([
      { kind: 'serial', code: 'L1' },
      { kind: 'product', code: '09506000134352' },
      { kind: 'product', code: '9506000134352' },
    ])
  })
})

describe('resolve', () => {
  it('asks all at once', async () => {
    let running = 0
    let most = 0
    const slow = async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((done) => setTimeout(done, 5))
      running -= 1
      return []
    }
    await resolve(
      parseScan('P-1'),
      { serial: slow, product: slow, order: slow, position: slow, task: slow, issue: slow },
      signal,
    )
    expect(most).toBe(6)
  })

  it('takes exact hits only, ignoring case, serials first', async () => {
    const given = finders({
      product: async () => [hit('product', 'P-1'), hit('product', 'P-10', 'x')],
      serial: async () => [hit('serial', 'p-1')],
    })
    expect(await resolve(parseScan('P-1'), given, signal)).toEqual([hit('serial', 'p-1'), hit('product', 'P-1')])
  })

  it('passes over kinds that the user may not see', async () => {
    const forbidden = vi.fn(() => Promise.reject(new ApiFailure({ status: 403, message: 'no' })))
    const given = finders({ serial: forbidden, product: async () => [hit('product', 'P-1')] })
    expect(await resolve(parseScan('P-1'), given, signal)).toHaveLength(1)
    expect(forbidden).toHaveBeenCalled()
  })

  it('fails only if nothing is found and somebody could not be asked', async () => {
    const offline = () => Promise.reject(new ApiFailure({ status: 0, message: 'cut' }))
    await expect(resolve(parseScan('P-1'), finders({ serial: offline }), signal)).rejects.toThrow('cut')
    const given = finders({ serial: offline, order: async () => [hit('order', 'P-1')] })
    expect(await resolve(parseScan('P-1'), given, signal)).toHaveLength(1)
  })

  it('gives a thing once', async () => {
    const given = finders({ product: async (code) => [hit('product', code)] })
    const hits = await resolve(parseScan('(01)09506000134352(10)L1'), given, signal)
    expect(hits.map(({ key }) => key)).toEqual(['product-1'])
  })
})

describe('addresses', () => {
  it('lead to pages, or to the search', () => {
    expect(pageOfHit(hit('serial', 'A', 'k/1'))).toBe('/serial/k%2F1')
    expect(pageOfHit(hit('task', 'T 1'))).toBe('/task/task-1')
    expect(pageOfHit(hit('product', 'A', '..'))).toBeNull()
    expect(pageOfHit(hit('product', 'A', '.'))).toBeNull()
    expect(pageOfHit(hit('product', 'A', '...'))).toBe('/product/...')
    expect(searchPage('T 1')).toBe('/search?q=T%201')
    expect(startsWith('A*B?\\')).toBe('A\\*B\\?\\\\*')
  })
})
