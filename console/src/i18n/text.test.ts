import { beforeAll, describe, expect, it, vi } from 'vitest'
import { chooseLocale, fill, loadLocale, pieces } from './text'

beforeAll(() => loadLocale('it'))

describe('fill', () => {
  it('puts values in their places', () => {
    expect(fill('en', 'ui.copy', { code: 'A-1' })).toBe('Copy A-1')
    expect(fill('it', 'ui.copy', { code: 'A-1' })).toBe('Copia A-1')
  })

  it('chooses the plural form by count, and writes the number by language', () => {
    expect(fill('en', 'ui.table.rows', { count: 1 })).toBe('1 row')
    expect(fill('en', 'ui.table.rows', { count: 0 })).toBe('0 rows')
    expect(fill('en', 'ui.table.rows', { count: 12_000 })).toBe('12,000 rows')
    expect(fill('it', 'ui.table.rows', { count: 1 })).toBe('1 riga')
    expect(fill('it', 'ui.table.rows', { count: 12_000 })).toBe('12.000 righe')
  })
})

describe('pieces', () => {
  it('cuts at placeholders', () => {
    expect(pieces('a {b} c')).toEqual(['a ', 'b', ' c'])
    expect(pieces('plain')).toEqual(['plain'])
  })
})

describe('chooseLocale', () => {
  it('takes the preference first, then what was stored, then the browser', () => {
    expect(chooseLocale('it', 'en', ['en-US'])).toBe('it')
    expect(chooseLocale(undefined, 'it', ['en-US'])).toBe('it')
    expect(chooseLocale(undefined, null, ['de-DE', 'it-CH', 'en'])).toBe('it')
    expect(chooseLocale('fr', 'xx', ['de'])).toBe('en')
  })
})

describe('the texts of the areas', () => {
  it('come when asked for, in the language that is spoken and in every one that follows', async () => {
    vi.resetModules()
    const { fill, loadAreaTexts, loadLocale } = await import('./text')
    const both = () => [fill('en', 'trace.onlySide.both'), fill('it', 'trace.onlySide.both')]
    await loadLocale('it')
    expect(both()).toEqual(['trace.onlySide.both', 'trace.onlySide.both'])
    await loadAreaTexts()
    expect(both()).toEqual(['trace.onlySide.both', 'Mostra entrambi i lati'])
    await loadLocale('en')
    expect(both()).toEqual(['Show both sides', 'Mostra entrambi i lati'])
  })
})
