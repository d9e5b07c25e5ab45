import { expect, it } from 'vitest'
import { rateText } from './rate'

it('writes a share in per cent as the language does', () => {
  expect(rateText('en-GB', '0.973')).toBe('97.3%')
  expect(rateText('it-IT', '0.973')).toBe('97,3%')
  expect(rateText('en-GB', 1)).toBe('100%')
  expect(rateText('en-GB', 0)).toBe('0%')
})

it('cuts off what has no room, so that nearly all is not all', () => {
  expect(rateText('en-GB', '0.99999')).toBe('99.9%')
  expect(rateText('en-GB', '0.0129')).toBe('1.2%')
})
