/** The tree of a unit: the way down to it, its own part, and what it tells besides. */

import type { Schemas } from '@/api'

export type TreeNode = Schemas['SerialTreeNode']

/** A node with an id of its own: the same unit may have been in a tree twice, and a missing part has no key. */
export interface Part extends Omit<TreeNode, 'children'> {
  readonly id: string
  readonly parentKey: string | null
  readonly children: readonly Part[]
}

/** From the outermost unit down to the one that was asked for, which is the last. Replaced parts lead nowhere. */
export function wayTo(root: TreeNode, serialKey: string): TreeNode[] {
  if (root.serial_key === serialKey) return [root]
  for (const child of root.children) {
    if (child.replaced) continue
    const way = wayTo(child, serialKey)
    if (way.length > 0) return [root, ...way]
  }
  return []
}

/** The unit itself keeps its id whatever it is built into; parts have that of their link, missing ones that of their place. */
function idOf(node: TreeNode, parentId: string | undefined): string {
  if (parentId === undefined) return node.serial_key ?? node.batch_key ?? ''
  return (node.expected ? null : node.link_key) ?? `${parentId}/${node.product_key}`
}

/** A node and all below it, each with its id. */
export function partOf(node: TreeNode, parent?: { id: string; serial_key: string | null }): Part {
  const id = idOf(node, parent?.id)
  const self = { id, serial_key: node.serial_key }
  return {
    ...node,
    id,
    parentKey: parent?.serial_key ?? null,
    children: node.children.map((child) => partOf(child, self)),
  }
}

function isPast(time: string | null, moment: number): boolean {
  return time !== null && Date.parse(time) <= moment
}

/** A child that ended before a moment stands before the others of its product, or where today's tree has that product. */
function placed(children: readonly TreeNode[], ended: readonly TreeNode[], today: readonly TreeNode[]): TreeNode[] {
  const order = [...new Set([...today, ...children].map(({ product_key }) => product_key))]
  const rank = ({ product_key }: TreeNode) => order.indexOf(product_key)
  return [...ended, ...children].sort((a, b) => rank(a) - rank(b))
}

/**
 * The tree of a moment, with the parts that had been taken out by then. The service leaves them out of it, but today's tree has them, with
 * the times of their links; of units that are no longer in it, they are on their own pages.
 */
export function withTakenOut(then: TreeNode, today: TreeNode, moment: number): TreeNode {
  const now = new Map<string, TreeNode>()
  visit(today, (node) => {
    if (node.serial_key && !node.replaced) now.set(node.serial_key, node)
  })
  const extended = (node: TreeNode): TreeNode => {
    const children = node.children.map(extended)
    const known = now.get(node.serial_key ?? '')?.children ?? []
    const ended = known.filter(({ replaced, unlinked }) => replaced && isPast(unlinked, moment))
    return { ...node, children: ended.length === 0 ? children : placed(children, ended, known) }
  }
  return extended(then)
}

interface Branch<Self> {
  readonly children: readonly Self[]
}

/** Calls for every node, from the top. */
export function visit<Node extends Branch<Node>>(node: Node, act: (node: Node) => void): void {
  act(node)
  for (const child of node.children) visit(child, act)
}

export interface TreeCounts {
  /** Units inside at present, at any depth. */
  readonly inside: number
  /** Units that are expected and not there. */
  readonly missing: number
  readonly replaced: number
}

export function countParts(root: Part): TreeCounts {
  let inside = -1
  let missing = 0
  let replaced = 0
  visit(root, (node) => {
    if (node.expected) missing += node.expected_quantity ?? 1
    else if (node.replaced) replaced += 1
    else inside += 1
  })
  return { inside, missing, replaced }
}

/** The times at which something was built in or taken out, anywhere in the tree. */
export function linkTimes(root: TreeNode): number[] {
  const times: number[] = []
  visit(root, ({ linked, unlinked }) => {
    for (const time of [linked, unlinked]) if (time) times.push(Date.parse(time))
  })
  return times
}

/** What people call the units of a tree, by their keys. */
export function codesIn(root: TreeNode): Map<string, string> {
  const codes = new Map<string, string>()
  visit(root, ({ serial_key, serial_code }) => {
    if (serial_key && serial_code) codes.set(serial_key, serial_code)
  })
  return codes
}
