import { expect, it } from 'vitest'
import { isPanelComing } from './early-scan'

it('knows that the panel is still being fetched', () => {
  expect(isPanelComing('/panel', undefined)).toBe(true)
  expect(isPanelComing('/panel/job/4711', 'desk')).toBe(true)
  expect(isPanelComing('/panel/job/4711', 'floor')).toBe(false)
  expect(isPanelComing('/plan', undefined)).toBe(false)
  expect(isPanelComing('/panels', undefined)).toBe(false)
})
