import { type FocusEvent, type KeyboardEvent, useCallback, useRef, useState } from 'react'
import { move, openTo, type TreeLine, type TreeShape, typed } from './model'

/** Which nodes are open: what somebody opened stays so when the tree is loaded anew. */
export function useOpen<Node>(
  shape: TreeShape<Node>,
  roots: readonly Node[],
  depth: number,
  onExpand: ((node: Node) => void) | undefined,
) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => openTo(shape, roots, depth))
  const [known, setKnown] = useState(roots.length > 0)
  if (!known && roots.length > 0) {
    setKnown(true)
    setOpen(openTo(shape, roots, depth))
  }
  const toggle = useCallback(
    (line: TreeLine<Node>) => {
      if (!line.open && line.group === 0) onExpand?.(line.node)
      setOpen((before) => {
        const next = new Set(before)
        if (!next.delete(line.id)) next.add(line.id)
        return next
      })
    },
    [onExpand],
  )
  const widen = useCallback((ids: readonly string[]) => {
    setOpen((before) => new Set([...before, ...ids]))
  }, [])
  return { open, toggle, widen }
}

interface KeysInput<Node> {
  readonly lines: readonly TreeLine<Node>[]
  readonly name: (node: Node) => string
  readonly page: number
  readonly reveal: (index: number) => void
  readonly toggle: (line: TreeLine<Node>) => void
  readonly widen: (ids: readonly string[]) => void
  readonly onOpen: ((node: Node) => void) | undefined
}

const TYPING = 700

/** The keys of the ARIA tree pattern. The current line is kept by its id, so that it stays when lines above it open. */
export function useTreeKeys<Node>(input: KeysInput<Node>) {
  const { lines, reveal } = input
  const [currentId, setCurrentId] = useState<string>()
  const typing = useRef({ text: '', at: 0 })
  const found = lines.findIndex(({ id }) => id === currentId)
  const current = found < 0 ? undefined : found
  const setCurrent = (index: number) => setCurrentId(lines[index]?.id)
  const go = (index: number) => {
    setCurrent(index)
    reveal(index)
  }
  const siblingsOf = (at: number) =>
    lines.filter(({ parent, expandable }) => expandable && parent === lines[at]?.parent).map(({ id }) => id)

  const onType = (key: string) => {
    const now = performance.now()
    const text = now - typing.current.at < TYPING ? typing.current.text + key : key
    typing.current = { text, at: now }
    const next = typed(lines, current ?? -1, text, input.name)
    if (next !== undefined) go(next)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const line = current === undefined ? undefined : lines[current]
    if ((event.key === 'Enter' || event.key === ' ') && line) {
      event.preventDefault()
      if (line.group > 0) input.toggle(line)
      else input.onOpen?.(line.node)
      return
    }
    const step = move(lines, current ?? -1, event.key, input.page)
    const isKey = event.key.length > 1 || event.key === '*'
    if (step === undefined || !isKey) {
      if (event.key.length === 1 && event.key !== ' ' && event.key !== '/' && event.key !== '?') onType(event.key)
      return
    }
    event.preventDefault()
    if ('go' in step) go(step.go)
    else if ('widen' in step) input.widen(siblingsOf(step.widen))
    else {
      const at = lines[step.toggle]
      if (at) input.toggle(at)
    }
  }
  const onFocus = (event: FocusEvent<HTMLElement>) => {
    const byKey = event.target === event.currentTarget && event.currentTarget.matches(':focus-visible')
    if (byKey && current === undefined) setCurrent(0)
  }
  return { current, setCurrent, onKeyDown, onFocus }
}
