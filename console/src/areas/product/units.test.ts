import { describe, expect, it } from 'vitest'
import { unitsAmong, unitsOf } from './units'

const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ _key: `p${from + at}`, unit: at % 2 === 0 ? 'kg' : '' }))

describe('the units of products', () => {
  it('come from one page if all are on it', async () => {
    const asked: number[] = []
    const units = await unitsAmong(['p0', 'p3'], async (offset) => {
      asked.push(offset)
      return { rows: rows(offset, 500) }
    })
    expect([...units]).toEqual([
      ['p0', 'kg'],
      ['p3', ''],
    ])
    expect(asked).toEqual([0])
  })

  it('are searched to the end of a short list, and not without end in a long one', async () => {
    const asked: number[] = []
    const fetchPage = (size: number) => async (offset: number) => {
      asked.push(offset)
      return { rows: rows(offset, size) }
    }
    expect((await unitsAmong(['gone'], fetchPage(20))).size).toBe(0)
    expect(asked.splice(0)).toEqual([0])
    expect((await unitsAmong(['gone', 'p700'], fetchPage(500))).get('p700')).toBe('kg')
    expect(asked).toEqual([0, 500, 1000, 1500])
  })

  it('are asked for one by one where they are few; what is gone has none', async () => {
    const units = await unitsOf(['wire', 'gone'], async (key) => {
      if (key === 'gone') throw new Error('404')
      return { unit: 'kg' }
    })
    expect([...units]).toEqual([['wire', 'kg']])
  })
})
