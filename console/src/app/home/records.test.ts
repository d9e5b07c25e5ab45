import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import type { Notice } from '@/live'
import { unitsQuery } from './queries'
import { type Checked, forget, incomplete, inTurn, lacks, type Missing, RECORDS, type Unit } from './records'

const unit = (key: string) => ({ _key: key }) as Unit
const missing = (kind: Missing['kind']): Missing => ({ kind, message: kind })

describe('working in turn', () => {
  it('does everything, so many at a time', async () => {
    let running = 0
    let most = 0
    const done: number[] = []
    const work = async (one: number) => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setTimeout(resolve, 1))
      running -= 1
      return one * 2
    }
    await inTurn([1, 2, 3, 4, 5], 2, work, (out) => done.push(out))
    expect(done.sort((a, b) => a - b)).toEqual([2, 4, 6, 8, 10])
    expect(most).toBe(2)
  })

  it('stops with the first failure', async () => {
    const work = (one: number) => (one === 2 ? Promise.reject(new Error('no')) : Promise.resolve(one))
    await expect(inTurn([1, 2, 3], 1, work, () => undefined)).rejects.toThrow('no')
  })
})

describe('records', () => {
  it('do not lack the release alone', () => {
    expect(lacks({ complete: true, missing_evidence: [missing('not_released')] })).toEqual([])
    const record = { complete: false, missing_evidence: [missing('not_released'), missing('file_missing')] }
    expect(lacks(record).map(({ kind }) => kind)).toEqual(['file_missing'])
  })

  it('are named in the order of the units', () => {
    const units = [unit('a'), unit('b'), unit('c')]
    const checked: Checked[] = [
      { unit: unit('c'), missing: [missing('file_missing')], issues: [] },
      { unit: unit('a'), missing: [missing('code_missing')], issues: [] },
      { unit: unit('b'), missing: [], issues: [] },
    ]
    expect(incomplete(checked, units).map((one) => one.unit._key)).toEqual(['a', 'c'])
  })
})

describe('what was read', () => {
  const lacking: Record<string, Missing[]> = {
    a: [missing('form_value_missing')],
    b: [{ ...missing('component_missing'), parent_serial_key: 'part' }],
    c: [{ ...missing('issue_open'), issue_key: 'i' }],
  }
  const client = () => {
    const made = new QueryClient()
    for (const [key, list] of Object.entries(lacking)) {
      made.setQueryData([...RECORDS, key], { unit: unit(key), missing: list, issues: [] })
    }
    return made
  }
  const stale = (of: QueryClient) =>
    Object.keys(lacking).filter((key) => of.getQueryState([...RECORDS, key])?.isInvalidated)
  const staleAfter = (notice: Partial<Notice>) => {
    const made = client()
    forget(made, { topic: 'serial', notification: 'n', seq: 1, event_key: 'e', timestamp: '', ...notice })
    return stale(made)
  }

  it('is read again after notices about the unit, its parts and its issues', () => {
    expect(staleAfter({ serial_key: 'a' })).toEqual(['a'])
    expect(staleAfter({ serial_keys: ['a', 'part'] })).toEqual(['a', 'b'])
    expect(staleAfter({ topic: 'issue', issue_key: 'i' })).toEqual(['c'])
    expect(staleAfter({ serial_key: 'other' })).toEqual([])
    expect(staleAfter({})).toEqual([])
  })

  it('is read again after notices that name not all', () => {
    expect(staleAfter({ serial_keys: ['x', 'y'], count: 300 })).toEqual(['a', 'b', 'c'])
    expect(staleAfter({ serial_keys: ['x', 'y'], count: 2 })).toEqual([])
    expect(staleAfter({ event_count: 200 })).toEqual(['a', 'b', 'c'])
  })

  it('is read once more if a notice comes meanwhile', async () => {
    const made = client()
    let answer = (_: Checked) => {}
    const queryKey = [...RECORDS, 'd']
    const reading = made.fetchQuery({ queryKey, queryFn: () => new Promise<Checked>((resolve) => (answer = resolve)) })
    forget(made, { topic: 'serial', notification: 'n', seq: 1, event_key: 'e', timestamp: '', serial_key: 'd' })
    answer({ unit: unit('d'), missing: [], issues: [] })
    await reading
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(made.getQueryState(queryKey)?.isInvalidated).toBe(true)
  })

  it('follows the notices about units', () => {
    expect(unitsQuery(50).queryKey[0]).toBe('serial')
  })
})
