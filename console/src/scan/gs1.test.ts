import { describe, expect, it } from 'vitest'
import { checkDigitFits, FNC1, gs1Date, parseElements, parseScan } from './gs1'

const GTIN = '09506000134352'

describe('plain codes', () => {
  it.each([
    ['P-0001', 'P-0001'],
    ['  sk-22 ', 'sk-22'],
    ['WO/2026/0007', 'WO/2026/0007'],
    ['0100', '0100'],
    ['01234567890', '01234567890'],
    ['4006381333931', '4006381333931'],
    ['21', '21'],
    ['100200300', '100200300'],
    ['H1-A(2)', 'H1-A(2)'],
    ['(spare)', '(spare)'],
    [']C0P-0001', 'P-0001'],
    [']Q1SN 44', 'SN 44'],
    [']d1ABC', 'ABC'],
    [']E04006381333931', '4006381333931'],
  ])('%s', (raw, code) => {
    expect(parseScan(raw)).toMatchObject({ kind: 'plain', code })
  })

  it('an article number whose check digit does not fit is no GS1 string', () => {
    expect(parseScan('010950600013435321A7')).toMatchObject({ kind: 'plain' })
  })
})

describe('element strings', () => {
  it.each([
    [`]d201${GTIN}21A7`, { gtin: GTIN, serial: 'A7', lot: undefined }],
    [`]d201${GTIN}10LOT1${FNC1}21A7`, { gtin: GTIN, serial: 'A7', lot: 'LOT1' }],
    [`]C101${GTIN}1727123110LOT1`, { gtin: GTIN, lot: 'LOT1', serial: undefined }],
    [`]Q321SN-00042${FNC1}240PN-7`, { serial: 'SN-00042', gtin: undefined }],
    [`]C100106141412345678908`, { sscc: '106141412345678908' }],
    [`]d2${FNC1}01${GTIN}21A7`, { gtin: GTIN, serial: 'A7' }],
    [`01${GTIN}21A7`, { gtin: GTIN, serial: 'A7' }],
    [`01${GTIN}10L1{GS}21A7`, { lot: 'L1', serial: 'A7' }],
    [`01${GTIN}10L1<GS>21A7`, { lot: 'L1', serial: 'A7' }],
    [`01${GTIN}10L1␝21A7`, { lot: 'L1', serial: 'A7' }],
    [`21A7${FNC1}10L1`, { lot: 'L1', serial: 'A7' }],
    [`]d201${GTIN}3103001250`, { gtin: GTIN }],
    [`]d201${GTIN}37100${FNC1}10B7`, { gtin: GTIN, lot: 'B7' }],
    [`]d2241CUST-9${FNC1}250SEC-1${FNC1}400PO77${FNC1}4149506000134369`, { serial: undefined }],
    [`]d201${GTIN}91internal`, { gtin: GTIN }],
    [`]d202${GTIN}3724`, { gtin: GTIN }],
  ])('%j', (raw, data) => {
    expect(parseScan(raw)).toMatchObject({ kind: 'gs1', ...data })
  })

  it('give every element', () => {
    expect(parseElements(`11260101172712313012${FNC1}10L`)).toEqual([
      { ai: '11', value: '260101' },
      { ai: '17', value: '271231' },
      { ai: '30', value: '12' },
      { ai: '10', value: 'L' },
    ])
  })

  it('are refused as a whole if something does not fit', () => {
    expect(parseElements('0195060001343')).toBeUndefined()
    expect(parseElements('17ABCDEF')).toBeUndefined()
    expect(parseElements(`21${'x'.repeat(21)}`)).toBeUndefined()
    expect(parseElements('')).toBeUndefined()
    expect(parseScan(']d2hello')).toMatchObject({ kind: 'plain', code: 'hello' })
  })
})

describe('the bracketed form', () => {
  it.each([
    [`(01)${GTIN}(21)A7`, { gtin: GTIN, serial: 'A7' }],
    [`(01) ${GTIN} (10) LOT 1 (21) A7`, { lot: 'LOT 1', serial: 'A7' }],
    ['(00)106141412345678908', { sscc: '106141412345678908' }],
    ['(8004)GIAI77', { serial: undefined }],
  ])('%s', (raw, data) => {
    expect(parseScan(raw)).toMatchObject({ kind: 'gs1', ...data })
  })

  it.each(['(01)123', '(05)12', '(21)', '(21)A(7'])('%s is none', (raw) => {
    expect(parseScan(raw)).toMatchObject({ kind: 'plain' })
  })
})

describe('links', () => {
  it.each([
    [`https://id.gs1.org/01/${GTIN}/21/A7`, { gtin: GTIN, serial: 'A7' }],
    [`https://example.com/shop/01/9506000134352/10/L%2F1/21/A7?17=271231`, { gtin: GTIN, lot: 'L/1', serial: 'A7' }],
    [`http://brand.example/gtin/${GTIN}/ser/A7?utm=x`, { gtin: GTIN, serial: 'A7' }],
    ['https://id.gs1.org/00/106141412345678908', { sscc: '106141412345678908' }],
  ])('%s', (raw, data) => {
    expect(parseScan(raw, 'https://plant.local')).toMatchObject({ kind: 'gs1', ...data })
  })

  it('of this console lead to their page', () => {
    expect(parseScan('https://plant.local/serial/abc?as_of=2026-11-01', 'https://plant.local')).toMatchObject({
      kind: 'console',
      to: '/serial/abc?as_of=2026-11-01',
    })
  })

  it('of this console that no page can read are unknown codes', () => {
    for (const raw of [
      'https://plant.local/%E0%A4%A',
      'https://plant.local/serial/a?as_of=%',
      'https://plant.local/#%E0',
    ]) {
      expect(parseScan(raw, 'https://plant.local')).toEqual({ kind: 'plain', raw, code: raw })
    }
  })

  it('of others are plain', () => {
    expect(parseScan('https://example.com/serial/abc', 'https://plant.local')).toMatchObject({ kind: 'plain' })
    expect(parseScan('https://', 'https://plant.local')).toMatchObject({ kind: 'plain' })
  })
})

describe('check digits and dates', () => {
  it('fit', () => {
    expect(checkDigitFits(GTIN)).toBe(true)
    expect(checkDigitFits('4006381333931')).toBe(true)
    expect(checkDigitFits('106141412345678908')).toBe(true)
    expect(checkDigitFits('09506000134353')).toBe(false)
  })

  it('are dates of the right century', () => {
    const now = new Date('2026-11-17')
    expect(gs1Date('271231', now)).toBe('2027-12-31')
    expect(gs1Date('990101', now)).toBe('1999-01-01')
    expect(gs1Date('270200', now)).toBe('2027-02-28')
    expect(gs1Date('271331', now)).toBeUndefined()
    expect(gs1Date('27123', now)).toBeUndefined()
  })
})
