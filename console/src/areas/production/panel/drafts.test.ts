import { describe, expect, it } from 'vitest'
import { NO_DRAFT, readStored } from './drafts'

const now = 1_000_000_000_000
const draft = { ...NO_DRAFT, marks: [{ unitKey: 'u', quantity: '1', reason: 'bent' }] }

describe('what was typed and marked', () => {
  it('survives a reload', () => {
    expect(readStored(JSON.stringify({ at: now, draft }), now + 1000)).toEqual(draft)
  })
  it('is forgotten after a week', () => {
    expect(readStored(JSON.stringify({ at: now, draft }), now + 8 * 86_400_000)).toBeNull()
  })
  it('is nothing where something else lies', () => {
    for (const text of [null, '', '{', '[]', '{"at":1}']) expect(readStored(text, now)).toBeNull()
  })
  it('gets what an older version did not know', () => {
    expect(readStored(JSON.stringify({ at: now, draft: { through: ['a'] } }), now)).toEqual({
      ...NO_DRAFT,
      through: ['a'],
    })
  })
})
