import { describe, expect, it } from 'vitest'
import { choicesAmong } from './products'

/** Every `each`th product has a process. */
function catalogue(count: number, each: number) {
  const all = Array.from({ length: count }, (_, at) => ({
    _key: `p${at}`,
    code: `P-${at}`,
    description: null,
    process_phases: at % each === each - 1 ? ['a'] : [],
  }))
  const asked: number[] = []
  const fetchRows = async (offset: number) => {
    asked.push(offset)
    return all.slice(offset, offset + 100)
  }
  return { fetchRows, asked }
}

const codes = (found: readonly { code: string }[]) => found.map(({ code }) => code)

describe('the products of a new order', () => {
  it('are those that can be made', async () => {
    const { fetchRows } = catalogue(6, 3)
    expect(codes(await choicesAmong(fetchRows, false))).toEqual(['P-2', 'P-5'])
  })

  it('come before the others, where somebody searches', async () => {
    const { fetchRows } = catalogue(6, 3)
    const found = await choicesAmong(fetchRows, true)
    expect(codes(found)).toEqual(['P-2', 'P-5', 'P-0', 'P-1', 'P-3', 'P-4'])
    expect(found.map(({ made }) => made)).toEqual([true, true, false, false, false, false])
  })

  it('are read until there are enough, and not without end', async () => {
    const many = catalogue(1_000, 10)
    expect(await choicesAmong(many.fetchRows, true)).toHaveLength(20)
    expect(many.asked).toEqual([0, 100])
    const bought = catalogue(5_000, 10_000)
    expect(await choicesAmong(bought.fetchRows, false)).toEqual([])
    expect(bought.asked).toHaveLength(10)
  })
})
