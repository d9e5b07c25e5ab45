import { describe, expect, test } from 'vitest'
import { ApiFailure } from '@/api/faults'
import { bodyOf, isOverdue, NOTHING, refusalsOf, withoutChanged, wrongIn } from './form'
import { meantBy } from './picker'

const english = { group: ',', decimal: '.' }
const italian = { group: '.', decimal: ',' }
const traced = { traced: true, phases: 2 }
const plain = { traced: false, phases: 1 }

function paths(found: readonly { path: string }[]): string[] {
  return found.map(({ path }) => path)
}

describe('a new order', () => {
  test('tells everything that is wrong at once', () => {
    const entered = { ...NOTHING, due: '2026-11-01', from: '2026-11-02' }
    expect(paths(wrongIn(entered, undefined, english))).toEqual(['product_key', 'qt_planned', 'due_by'])
  })

  test('tells no more of a field that is changed', () => {
    const faults = paths(wrongIn(NOTHING, undefined, english)).map((path) => ({ path, message: path }))
    expect(paths(withoutChanged(faults, { product: 'a' }))).toEqual(['qt_planned'])
    expect(paths(withoutChanged(faults, { first: true }))).toEqual(['product_key', 'qt_planned'])
  })

  test('is for the product that was typed: the one with the code, or the only one found', () => {
    const found = [
      { _key: 'a', code: 'PB-7' },
      { _key: 'b', code: 'PB-70' },
    ]
    expect(meantBy('pb-7', found)?._key).toBe('a')
    expect(meantBy('pb', found)).toBeUndefined()
    expect(meantBy('gearbox', found.slice(1))?._key).toBe('b')
    expect(meantBy('x', [])).toBeUndefined()
    const bought = { _key: 'c', code: 'PB-7S', made: false }
    expect(meantBy('pb-7', [{ _key: 'b', code: 'PB-70', made: true }, bought])?._key).toBe('b')
    expect(meantBy('pb-7s', [bought])?._key).toBe('c')
    expect(meantBy('pb', [bought])).toBeUndefined()
  })

  test('needs a product that can be made', () => {
    const entered = { ...NOTHING, product: 'a', quantity: '1' }
    expect(wrongIn(entered, { traced: false, phases: 0 }, english)[0]?.text).toBe('production.new.wrong.process')
    expect(wrongIn(entered, plain, english)).toEqual([])
    expect(wrongIn(entered, undefined, english)).toEqual([])
  })

  test('may be due in the past, with a warning', () => {
    expect(isOverdue('2026-11-16', '2026-11-17')).toBe(true)
    expect(isOverdue('2026-11-17', '2026-11-17')).toBe(false)
    expect(isOverdue('', '2026-11-17')).toBe(false)
    const entered = { ...NOTHING, product: 'a', quantity: '1', due: '2020-01-01' }
    expect(wrongIn(entered, plain, english)).toEqual([])
  })

  test('takes whole numbers only if units are traced', () => {
    const entered = { ...NOTHING, product: 'a', quantity: '2,5' }
    expect(wrongIn(entered, traced, italian)[0]?.text).toBe('production.new.wrong.whole')
    expect(wrongIn(entered, plain, italian)).toEqual([])
    expect(wrongIn(entered, traced, english)[0]?.text).toBe('production.new.wrong.whole')
    expect(wrongIn({ ...entered, quantity: '0' }, plain, english)[0]?.text).toBe('production.new.wrong.quantity')
    expect(wrongIn({ ...entered, quantity: '1.1234567' }, plain, english)[0]?.text).toBe('production.new.wrong.digits')
  })

  test('says whether a quantity is missing, no number of the language, or not above zero', () => {
    const found = (quantity: string) => wrongIn({ ...NOTHING, product: 'a', quantity }, plain, english)[0]?.text
    expect(found('2,5')).toBe('ui.form.number')
    expect(found('two')).toBe('ui.form.number')
    expect(found(' ')).toBe('production.new.wrong.quantity')
    expect(found('-1')).toBe('production.new.wrong.quantity')
    expect(found('2.5')).toBeUndefined()
  })

  test('has a code and a project of at most 128 characters', () => {
    const named = (text: string) => ({ ...NOTHING, product: 'a', quantity: '1', project: text, code: text })
    expect(wrongIn(named(`${'é'.repeat(128)} `), plain, english)).toEqual([])
    expect(paths(wrongIn(named('é'.repeat(129)), plain, english))).toEqual(['project_code', 'wo_code'])
  })

  test('is sent with exact quantities and without empty fields', () => {
    const entered = { ...NOTHING, product: 'a', quantity: '1.000,25', due: '2026-12-01', project: ' Hill ' }
    expect(JSON.parse(JSON.stringify(bodyOf(entered, italian)))).toEqual({
      product_key: 'a',
      qt_planned: '1000.25',
      priority: false,
      due_by: '2026-12-01',
      project_code: 'Hill',
    })
  })
})

describe('what the service refuses', () => {
  test('stands at the field it is about', () => {
    const fault = { path: 'product_code', message: 'unknown', loc: [], type: '' }
    expect(refusalsOf(new ApiFailure({ status: 422, message: '', faults: [fault] }))).toEqual([
      { path: 'product_key', message: 'unknown' },
    ])
    expect(refusalsOf(new ApiFailure({ status: 409, message: 'taken' }))).toEqual([
      { path: 'wo_code', message: 'taken' },
    ])
    expect(refusalsOf(new ApiFailure({ status: 404, message: 'gone' }))[0]?.path).toBe('product_key')
    const noProcess = new ApiFailure({ status: 422, message: 'no', errorType: 'NoProcessError' })
    expect(refusalsOf(noProcess)[0]?.path).toBe('product_key')
  })

  test('stands above all if it is about no field', () => {
    expect(refusalsOf(new ApiFailure({ status: 0, message: '' }))).toEqual([])
    expect(refusalsOf(new ApiFailure({ status: 500, message: 'oh' }))).toEqual([])
  })
})
