import { describe, expect, it } from 'vitest'
import { blocksOf, spansOf } from './markdown'

describe('instructions', () => {
  it('mark what matters', () => {
    expect(spansOf('With the guide. **Magnets: keep tools away.**')).toEqual([
      { id: 0, look: 'plain', text: 'With the guide. ' },
      { id: 16, look: 'bold', text: 'Magnets: keep tools away.' },
    ])
    expect(spansOf('*soft*, `W-18`, 2 * 3 * 4').map(({ look }) => look)).toEqual(['italic', 'plain', 'code', 'plain'])
  })
  it('have paragraphs, headings and lists', () => {
    const blocks = blocksOf('# Before\n\nFirst\nsecond\n\n- a\n- **b**\n\n1. x\n2. y').map(({ block }) => block)
    expect(blocks.map(({ kind }) => kind)).toEqual(['heading', 'paragraph', 'list', 'list'])
    expect(blocks[1]).toMatchObject({ spans: [{ text: 'First second' }] })
    expect(blocks[3]).toMatchObject({ ordered: true, items: [{ spans: [{ text: 'x' }] }, { spans: [{ text: 'y' }] }] })
  })
  it('stay text where they are no markdown', () => {
    expect(blocksOf('<img src=x>')).toMatchObject([{ block: { kind: 'paragraph', spans: [{ text: '<img src=x>' }] } }])
    expect(blocksOf('- a\nnot a list')).toMatchObject([{ block: { kind: 'paragraph' } }])
    expect(blocksOf('  ')).toEqual([])
  })
})
