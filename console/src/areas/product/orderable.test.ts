import { expect, it } from 'vitest'
import { isOrderable } from './orderable'

const made = { active: true, trash: false, process_phases: ['a'] }

it('is for products in use that have a process', () => {
  expect(isOrderable(made)).toBe(true)
  expect(isOrderable({ ...made, process_phases: [] })).toBe(false)
  expect(isOrderable({ ...made, active: false })).toBe(false)
  expect(isOrderable({ ...made, trash: true })).toBe(false)
})
