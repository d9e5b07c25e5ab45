import { expect, it } from 'vitest'
import { thingAt } from './kinds'

it('tells what a page is about', () => {
  expect(thingAt('/serial/a%2Fb')).toEqual({ kind: 'serial', key: 'a/b' })
  expect(thingAt('/order/o1/anything')).toEqual({ kind: 'order', key: 'o1' })
  expect(thingAt('/plan')).toBeUndefined()
  expect(thingAt('/serial/')).toBeUndefined()
})

it('finds nothing at an address that is cut off within a letter', () => {
  expect(thingAt('/serial/%E0%A4%A')).toBeUndefined()
})
