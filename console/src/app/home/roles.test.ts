import { describe, expect, it } from 'vitest'
import type { Scope } from '@/session/machine'
import { blocksOf, inColumns, roleOf } from './roles'

const READS: Scope[] = [
  'production:queue:read',
  'collaboration:task:read',
  'collaboration:issue:read',
  'serial:read',
  'production:work-order:read',
  'inventory:count:read',
]

const user =
  (...scopes: Scope[]) =>
  (scope: Scope) =>
    scopes.includes(scope)

describe('the blocks of the home page', () => {
  it('begin with what the role needs', () => {
    expect(blocksOf(user('operator', ...READS))[0]).toBe('queue')
    expect(blocksOf(user('quality', ...READS)).slice(0, 2)).toEqual(['issues', 'records'])
    expect(blocksOf(user('production', ...READS))[0]).toBe('orders')
    expect(blocksOf(user('warehouse', ...READS))[0]).toBe('counts')
  })

  it('leave out what may not be read', () => {
    expect(blocksOf(user('quality', 'serial:read'))).toEqual(['records'])
    expect(blocksOf(user())).toEqual([])
  })

  it('have a queue for operators alone', () => {
    expect(blocksOf(user('production', ...READS))).not.toContain('queue')
    expect(blocksOf(user('production', 'operator', ...READS))).toContain('queue')
  })

  it('do not look through records for operators', () => {
    expect(blocksOf(user('operator', ...READS))).not.toContain('records')
  })

  it('follow the role that decides most', () => {
    expect(roleOf(user('operator', 'quality'))).toBe('quality')
    expect(roleOf(user('serial:read'))).toBe('viewer')
  })
})

it('deals blocks out to columns in turn', () => {
  expect(inColumns(['a', 'b', 'c', 'd', 'e'], 2)).toEqual([
    ['a', 'c', 'e'],
    ['b', 'd'],
  ])
  expect(inColumns(['a', 'b'], 1)).toEqual([['a', 'b']])
})
