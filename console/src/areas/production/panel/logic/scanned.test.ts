import { describe, expect, it } from 'vitest'
import { parseScan } from '@/scan/gs1'
import { codeIn, keyIn } from './scanned'

const origin = 'http://plant.local'
const read = (text: string) => parseScan(text, origin)

describe('scans', () => {
  it('have a code, also in GS1', () => {
    expect(codeIn(read('WO-0016'))).toBe('WO-0016')
    expect(codeIn(read('(01)04012345678901(21)CU7-00012'))).toBe('CU7-00012')
    expect(codeIn(read('(01)04012345678901(10)LOT-7'))).toBe('LOT-7')
  })
  it('may be links of the console', () => {
    const order = read(`${origin}/order/0aie4v4vs02ch?x=1`)
    expect([codeIn(order), keyIn(order, 'order'), keyIn(order, 'serial')]).toEqual([null, '0aie4v4vs02ch', null])
    expect(keyIn(read(`${origin}/serial/abc`), 'serial')).toBe('abc')
    expect(keyIn(read('WO-0016'), 'order')).toBeNull()
  })
})
