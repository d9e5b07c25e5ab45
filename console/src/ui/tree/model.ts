/** How a tree reads its nodes. */
export interface TreeShape<Node> {
  /** Unique in the tree; an id made of the path where the same thing occurs twice. */
  readonly id: (node: Node) => string
  readonly children: (node: Node) => readonly Node[] | undefined
  /** True while the children are not loaded yet, but there are some. */
  readonly hasMore?: ((node: Node) => boolean) | undefined
  /** Siblings with the same name fold into one line with a count. Undefined: never. */
  readonly foldBy?: ((node: Node) => string | undefined) | undefined
  /** How many equal siblings fold; 5 where left out. */
  readonly foldFrom?: number | undefined
}

export interface TreeLine<Node> {
  readonly id: string
  /** The node; of a folded group the first of its nodes. */
  readonly node: Node
  /** How many nodes a folded group holds; 0 if it is a single node. */
  readonly group: number
  readonly level: number
  readonly position: number
  readonly siblings: number
  /** The index of the line above it in the tree; -1 for a root. */
  readonly parent: number
  readonly expandable: boolean
  readonly open: boolean
}

interface Entry<Node> {
  readonly id: string
  readonly node: Node
  readonly group: readonly Node[]
}

function grouped<Node>(nodes: readonly Node[], nameOf: (node: Node) => string | undefined): Map<string, Node[]> {
  const groups = new Map<string, Node[]>()
  for (const node of nodes) {
    const name = nameOf(node)
    if (name === undefined) continue
    const group = groups.get(name)
    if (group) group.push(node)
    else groups.set(name, [node])
  }
  return groups
}

/** Children with equal siblings folded into groups, in the place of the first of them. */
function entries<Node>(shape: TreeShape<Node>, nodes: readonly Node[], parent: string): Entry<Node>[] {
  const { foldBy, foldFrom = 5 } = shape
  const single = (node: Node): Entry<Node> => ({ id: shape.id(node), node, group: [] })
  if (foldBy === undefined || nodes.length < foldFrom) return nodes.map(single)
  const equal = grouped(nodes, foldBy)
  const done = new Set<string>()
  return nodes.flatMap((node) => {
    const name = foldBy(node)
    const same = name === undefined ? [] : (equal.get(name) ?? [])
    if (name === undefined || same.length < foldFrom) return [single(node)]
    if (done.has(name)) return []
    done.add(name)
    return [{ id: `${parent}~${name}`, node, group: same }]
  })
}

/** The lines to show, from top to bottom: a node's children follow it if it is open. */
export function flatten<Node>(
  shape: TreeShape<Node>,
  roots: readonly Node[],
  open: ReadonlySet<string>,
): TreeLine<Node>[] {
  const lines: TreeLine<Node>[] = []
  const add = (list: readonly Entry<Node>[], level: number, parent: number) => {
    list.forEach((entry, at) => {
      const folded = entry.group.length > 0
      const below = folded ? entry.group : (shape.children(entry.node) ?? [])
      const expandable = below.length > 0 || (!folded && shape.hasMore?.(entry.node) === true)
      const isOpen = expandable && open.has(entry.id)
      const index = lines.length
      lines.push({
        id: entry.id,
        node: entry.node,
        group: entry.group.length,
        level,
        position: at + 1,
        siblings: list.length,
        parent,
        expandable,
        open: isOpen,
      })
      if (!isOpen) return
      const inner = folded
        ? below.map((node) => ({ id: shape.id(node), node, group: [] }))
        : entries(shape, below, entry.id)
      add(inner, level + 1, index)
    })
  }
  add(entries(shape, roots, ''), 1, -1)
  return lines
}

/** The ids of all nodes down to a depth: what is open at first. Groups stay folded. */
export function openTo<Node>(shape: TreeShape<Node>, roots: readonly Node[], depth: number): Set<string> {
  const open = new Set<string>()
  const visit = (nodes: readonly Node[], level: number) => {
    if (level > depth) return
    for (const node of nodes) {
      const children = shape.children(node) ?? []
      if (children.length > 0) open.add(shape.id(node))
      visit(children, level + 1)
    }
  }
  visit(roots, 1)
  return open
}

/** The lines from the root down to a line, without itself. */
export function pathTo<Node>(lines: readonly TreeLine<Node>[], index: number): number[] {
  const path: number[] = []
  for (let at = lines[index]?.parent ?? -1; at >= 0; at = lines[at]?.parent ?? -1) path.unshift(at)
  return path
}

export type TreeMove = { readonly go: number } | { readonly toggle: number } | { readonly widen: number } | undefined

/** What a key does at a line, as the ARIA tree pattern says. `page` is how many lines are in view. */
export function move<Node>(lines: readonly TreeLine<Node>[], at: number, key: string, page = 10): TreeMove {
  const line = lines[at]
  const last = lines.length - 1
  if (last < 0) return undefined
  if (line === undefined) return { go: 0 }
  const to = (index: number) => ({ go: Math.min(Math.max(index, 0), last) })
  switch (key) {
    case 'ArrowDown':
      return to(at + 1)
    case 'ArrowUp':
      return to(at - 1)
    case 'PageDown':
      return to(at + page)
    case 'PageUp':
      return to(at - page)
    case 'Home':
      return to(0)
    case 'End':
      return to(last)
    case 'ArrowRight':
      if (!line.expandable) return undefined
      return line.open ? to(at + 1) : { toggle: at }
    case 'ArrowLeft':
      if (line.open) return { toggle: at }
      return line.parent < 0 ? undefined : to(line.parent)
    case '*':
      return { widen: at }
    default:
      return undefined
  }
}

/** The next line, after this one and round, whose text begins with what was typed. */
export function typed<Node>(
  lines: readonly TreeLine<Node>[],
  at: number,
  text: string,
  nameOf: (node: Node) => string,
): number | undefined {
  const wanted = text.toLocaleLowerCase()
  const from = text.length > 1 ? at : at + 1
  for (let step = 0; step < lines.length; step += 1) {
    const index = (from + step) % lines.length
    const line = lines[index]
    if (line && nameOf(line.node).toLocaleLowerCase().startsWith(wanted)) return index
  }
  return undefined
}
