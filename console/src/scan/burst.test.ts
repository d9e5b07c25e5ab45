import { describe, expect, it } from 'vitest'
import { type Burst, type Key, NOTHING, press } from './burst'

/** Presses the keys of a text, then an end, with the given pauses; gives what was recognised. */
function type(
  text: string,
  pause: (at: number) => number,
  end: Partial<Key> = { key: 'Enter' },
  extra: Partial<Key> = {},
) {
  let burst: Burst = NOTHING
  let at = 1000
  const keys: Key[] = [...text].map((key, index) => {
    at += pause(index)
    return { key, at, ...extra }
  })
  const closing: Key = { key: 'Enter', at: at + pause(text.length), ...end }
  let scanned: string | undefined
  for (const key of [...keys, closing]) {
    const step = press(burst, key)
    burst = step.burst
    scanned = step.scanned ?? scanned
  }
  return scanned
}

describe('a scanner', () => {
  it('is recognised at usual speeds, with Enter or Tab', () => {
    expect(type('P-0001', () => 2)).toBe('P-0001')
    expect(type('P-0001', () => 12, { key: 'Tab' })).toBe('P-0001')
    expect(type('0109506000134352', () => 30)).toBe('0109506000134352')
  })

  it('may stall a little in between', () => {
    expect(type('SN-4711-22', (at) => (at === 4 ? 60 : 8))).toBe('SN-4711-22')
    expect(type('SN-4711-22', (at) => (at === 2 ? 240 : 8))).toBe('SN-4711-22')
    expect(type('SN-4711-22', (at) => (at === 2 ? 260 : 8))).toBe('-4711-22')
  })

  it('may press Shift for capitals', () => {
    let burst: Burst = NOTHING
    let at = 0
    for (const key of ['Shift', 'A', 'Shift', 'B', '1', '2', '3']) {
      at += 5
      burst = press(burst, { key, at }).burst
    }
    expect(press(burst, { key: 'Enter', at: at + 5 }).scanned).toBe('AB123')
  })

  it('sends the GS1 separator as Ctrl-]', () => {
    let burst: Burst = NOTHING
    let at = 0
    const keys: Partial<Key>[] = [
      { key: '1' },
      { key: '0' },
      { key: 'L' },
      { key: 'Control', ctrl: true },
      { key: ']', ctrl: true },
      { key: '2' },
      { key: '1' },
      { key: '7' },
    ]
    for (const key of keys) {
      at += 4
      burst = press(burst, { key: '', at, ...key }).burst
    }
    expect(press(burst, { key: 'Enter', at: at + 4 }).scanned).toBe('10L\u001d217')
  })

  it('types characters that need AltGr', () => {
    expect(type('A@B#1', () => 5, { key: 'Enter' }, { ctrl: true, alt: true })).toBe('A@B#1')
  })
})

describe('a typist', () => {
  it('is never taken for a scanner', () => {
    expect(type('hello', () => 110)).toBeUndefined()
    expect(type('12345', () => 70)).toBeUndefined()
  })

  it('may roll fingers over keys: some gaps are short, most are not', () => {
    const fast = [90, 28, 95, 31, 88, 40, 92, 30, 85, 90]
    expect(type('traceable', (at) => fast[at] ?? 90)).toBeUndefined()
    const furious = [60, 30, 55, 45, 60, 28, 50, 62, 58, 55]
    expect(type('traceable', (at) => furious[at] ?? 55)).toBeUndefined()
  })

  it('may write short words fast', () => {
    expect(type('ok', () => 20)).toBeUndefined()
    expect(type('yes', () => 20)).toBeUndefined()
  })

  it('may type fast and think before Enter', () => {
    expect(type('abcd', (at) => (at === 4 ? 400 : 30))).toBeUndefined()
  })

  it('may hold a key down', () => {
    let burst: Burst = NOTHING
    for (let at = 0; at < 20; at += 1) burst = press(burst, { key: 'a', at: at * 30, repeat: at > 0 }).burst
    expect(press(burst, { key: 'Enter', at: 600 }).scanned).toBeUndefined()
  })

  it('may use an input method', () => {
    expect(type('nihao', () => 10, { key: 'Enter', composing: true })).toBeUndefined()
    expect(type('nihao', () => 10, { key: 'Enter' }, { composing: true })).toBeUndefined()
    expect(press({ text: 'abcd', times: [0, 5, 10, 15] }, { key: 'Process', at: 20 }).burst).toEqual(NOTHING)
  })

  it('may use shortcuts', () => {
    expect(type('abcde', () => 5, { key: 'Enter', ctrl: true })).toBeUndefined()
    expect(type('abcde', () => 5, { key: 'Enter' }, { meta: true })).toBeUndefined()
    expect(press({ text: 'abcd', times: [0, 5, 10, 15] }, { key: 'ArrowLeft', at: 20 }).burst).toEqual(NOTHING)
  })
})

describe('a burst', () => {
  it('says where it begins, so that what was typed before stays', () => {
    let burst: Burst = NOTHING
    const begins: boolean[] = []
    for (const [key, at] of [
      ['x', 0],
      ['y', 150],
      ['A', 400],
      ['B', 405],
      ['C', 410],
      ['D', 415],
    ] as const) {
      const step = press(burst, { key, at })
      burst = step.burst
      begins.push(step.begins)
    }
    expect(begins).toEqual([true, true, true, false, false, false])
    expect(press(burst, { key: 'Enter', at: 420 }).scanned).toBe('ABCD')
  })
})

describe('the pace of a machine', () => {
  /** How likely each key is of a scanner. */
  function paces(keys: readonly (readonly [string, number])[]): string[] {
    let burst: Burst = NOTHING
    return keys.map(([key, at]) => {
      const step = press(burst, { key, at })
      burst = step.burst
      return step.machine
    })
  }

  it('shows from the second key on, and in the end of a code that is too short', () => {
    const short = [
      ['A', 0],
      ['1', 8],
      [' ', 16],
      ['Enter', 24],
    ] as const
    expect(paces(short)).toEqual(['no', 'perhaps', 'surely', 'surely'])
    expect(
      paces([
        ['7', 0],
        ['Enter', 8],
      ]),
    ).toEqual(['no', 'perhaps'])
  })

  it('lasts while a radio scanner hesitates', () => {
    expect(
      paces([
        ['A', 0],
        ['B', 8],
        [' ', 200],
        ['C', 208],
      ]),
    ).toEqual(['no', 'perhaps', 'perhaps', 'surely'])
  })

  it('is none of a hand, also if it rolls two keys', () => {
    expect(
      paces([
        ['m', 0],
        ['a', 28],
        ['r', 90],
        ['i', 150],
        ['Enter', 300],
      ]),
    ).toEqual(['no', 'perhaps', 'perhaps', 'no', 'no'])
    expect(
      paces([
        [' ', 0],
        [' ', 20],
        ['Enter', 40],
      ]),
    ).toEqual(['no', 'no', 'no'])
  })
})
