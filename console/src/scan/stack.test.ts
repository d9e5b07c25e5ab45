import { describe, expect, it, vi } from 'vitest'
import { parseScan } from './gs1'
import { HandlerStack } from './stack'

const scan = parseScan('P-1')

describe('the stack of handlers', () => {
  it('asks by priority, then the newest first, until one answers', async () => {
    const stack = new HandlerStack()
    const asked: string[] = []
    const handler = (name: string, ok?: boolean) => () => {
      asked.push(name)
      return ok === undefined ? undefined : { ok }
    }
    stack.add(handler('old', true), 0)
    stack.add(handler('new'), 0)
    stack.add(handler('high'), 5)
    expect(await stack.offer(scan)).toEqual({ ok: true })
    expect(asked).toEqual(['high', 'new', 'old'])
  })

  it('offers what a hand has typed only to those who want it', async () => {
    const stack = new HandlerStack()
    stack.add(() => ({ ok: false }), 10)
    expect(await stack.offer(scan, 'hand')).toBeUndefined()
    stack.add(() => ({ ok: true }), 0, true)
    expect(await stack.offer(scan, 'hand')).toEqual({ ok: true })
    expect(await stack.offer(scan)).toEqual({ ok: false })
  })

  it('forgets those that went away, and waits for slow ones', async () => {
    const stack = new HandlerStack()
    const gone = vi.fn(() => ({ ok: true }))
    stack.add(gone, 9)()
    stack.add(async () => ({ ok: false, say: 'wrong part' }), 0)
    expect(await stack.offer(scan)).toEqual({ ok: false, say: 'wrong part' })
    expect(gone).not.toHaveBeenCalled()
    expect(await new HandlerStack().offer(scan)).toBeUndefined()
  })
})
