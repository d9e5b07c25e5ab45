import { expect, it } from 'vitest'
import { edgesOf } from './room'

it('a table goes on where something of it is out of view', () => {
  const box = { clientWidth: 700, scrollWidth: 950 }
  expect(edgesOf({ ...box, scrollLeft: 0 })).toBe('right')
  expect(edgesOf({ ...box, scrollLeft: 100 })).toBe('left right')
  expect(edgesOf({ ...box, scrollLeft: 249.5 })).toBe('left')
  expect(edgesOf({ ...box, scrollWidth: 700, scrollLeft: 0 })).toBe('')
})
