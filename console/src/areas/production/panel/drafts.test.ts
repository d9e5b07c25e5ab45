import { describe, expect, it } from 'vitest'
import { ApiFailure } from '@/api'
import { NO_DRAFT, PREFIX, readStored, refusalKey, refusals, type Texts, textsIn, WorkDrafts } from './drafts'
import { markUnit } from './logic/scrap'

const now = 1_000_000_000_000
const anna = { key: 'anna', name: 'Anna Berg' }
const ben = { key: 'ben', name: 'Ben Sala' }
const draft = { ...NO_DRAFT, marks: [{ unitKey: 'u', quantity: '1', reason: 'bent' }] }
const stored = { at: now, author: anna, draft }

function shared(): Texts {
  const items = new Map<string, string>()
  return {
    names: () => [...items.keys()],
    get: (name) => items.get(name) ?? null,
    set: (name, text) => void items.set(name, text),
    remove: (name) => void items.delete(name),
  }
}

describe('what was typed and marked', () => {
  it('survives a reload', () => {
    expect(readStored(JSON.stringify(stored), now + 1000)).toEqual(stored)
  })
  it('is forgotten after a week', () => {
    expect(readStored(JSON.stringify(stored), now + 8 * 86_400_000)).toBeNull()
  })
  it('is nothing where something else lies, or nobody is named', () => {
    const nobodys = JSON.stringify({ at: now, draft })
    for (const text of [null, '', '{', '[]', '{"at":1}', nobodys]) expect(readStored(text, now)).toBeNull()
  })
  it('gets what an older version did not know', () => {
    const older = JSON.stringify({ at: now, author: anna, draft: { through: ['a'] } })
    expect(readStored(older, now)?.draft).toEqual({ ...NO_DRAFT, through: ['a'] })
  })
})

describe('two tabs', () => {
  it('see and keep what the other has changed', () => {
    const texts = shared()
    const one = new WorkDrafts(texts, () => now)
    const other = new WorkDrafts(texts, () => now)
    one.get('b', 'anna')
    other.change('b', anna, ({ marks }) => ({ marks: markUnit(marks, 'u1', 'bent') }))
    one.change('b', anna, ({ marks }) => ({ marks: markUnit(marks, 'u2', 'cracked') }))
    other.change('b', anna, () => ({ answers: { s: { f: '5' } } }))
    expect(one.get('b', 'anna').marks.map(({ unitKey }) => unitKey)).toEqual(['u1', 'u2'])
    expect(one.get('b', 'anna').answers).toEqual({ s: { f: '5' } })
  })
  it('are told of changes', () => {
    const drafts = new WorkDrafts(shared(), () => now)
    const before = drafts.version()
    let heard = 0
    drafts.subscribe(() => {
      heard += 1
    })
    drafts.change('b', anna, () => ({ through: ['s'] }))
    expect(heard).toBe(1)
    expect(drafts.version()).not.toBe(before)
  })
})

describe('two users of a device', () => {
  const drafts = () => {
    const all = new WorkDrafts(shared(), () => now)
    all.change('b', anna, () => ({ answers: { s: { f: '5' } }, marks: draft.marks }))
    return all
  }
  it('do not see what the other typed', () => {
    expect(drafts().get('b', 'ben')).toEqual(NO_DRAFT)
  })
  it('learn of each other’s marks, for this batch', () => {
    expect(drafts().others('b', 'ben')).toEqual([{ author: anna, marks: draft.marks }])
    expect(drafts().others('b', 'anna')).toEqual([])
    expect(drafts().others('c', 'ben')).toEqual([])
  })
  it('take marks over', () => {
    const all = drafts()
    all.takeOver('b', anna, ben)
    expect(all.get('b', 'ben').marks).toEqual(draft.marks)
    expect(all.get('b', 'ben').answers).toEqual({})
    expect(all.get('b', 'anna')).toEqual({ ...NO_DRAFT, answers: { s: { f: '5' } } })
    expect(all.others('b', 'ben')).toEqual([])
  })
  it('drop marks, and end the batch for everybody', () => {
    const all = drafts()
    all.dropMarks('b', anna)
    expect(all.others('b', 'ben')).toEqual([])
    all.clear('b')
    expect(all.get('b', 'anna')).toEqual(NO_DRAFT)
  })
})

describe('the storage', () => {
  it('loses what is too old or nobody’s', () => {
    const texts = shared()
    texts.set(`${PREFIX}b/anna`, JSON.stringify(stored))
    texts.set(`${PREFIX}b`, JSON.stringify({ at: now, draft }))
    texts.set(`${PREFIX}c/anna`, JSON.stringify({ ...stored, at: now - 8 * 86_400_000 }))
    texts.set('another', '{}')
    new WorkDrafts(texts, () => now).sweep()
    expect(texts.names()).toEqual([`${PREFIX}b/anna`, 'another'])
  })
  it('is done without where there is none', () => {
    const texts = textsIn(() => {
      throw new Error('not allowed')
    })
    texts.set('a', '1')
    expect(texts.get('a')).toBe('1')
    expect(texts.names()).toEqual(['a'])
    texts.remove('a')
    expect(texts.get('a')).toBeNull()
  })
})

describe('a refusal', () => {
  it('is told to the user who met it, not to the next one at the same job', () => {
    const failure = new ApiFailure({ status: 409, message: 'No.' })
    refusals.set(refusalKey('mia', 'j'), failure)
    expect(refusals.get(refusalKey('mia', 'j'))).toBe(failure)
    expect(refusals.get(refusalKey('ben', 'j'))).toBeNull()
    expect(refusals.get(refusalKey('mia', 'k'))).toBeNull()
  })
})
