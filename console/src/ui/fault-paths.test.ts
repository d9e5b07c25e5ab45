import { describe, expect, it } from 'vitest'
import { faultAt, pathsUp } from './fault-paths'

describe('faults', () => {
  const faults = [
    { path: 'qt_planned', message: 'too small' },
    { path: 'bom.2.qt', message: 'no number' },
  ]

  it('are found at their field and at what contains it', () => {
    expect(faultAt(faults, 'qt_planned')).toBe('too small')
    expect(faultAt(faults, 'bom.2')).toBe('no number')
    expect(faultAt(faults, 'bom.20')).toBeUndefined()
    expect(faultAt(faults, 'qt')).toBeUndefined()
  })

  it('lead to the nearest place', () => {
    expect(pathsUp('bom.2.qt')).toEqual(['bom.2.qt', 'bom.2', 'bom'])
  })
})
