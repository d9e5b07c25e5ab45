import { describe, expect, it } from 'vitest'
import { type Checked, incomplete, inTurn, lacks, type Missing, type Unit } from './records'

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
