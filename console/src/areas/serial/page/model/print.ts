import type { TreeNode } from './tree'

export interface PrintedPart {
  readonly id: string
  readonly node: TreeNode
  readonly level: number
}

/** More lines than this nobody reads on paper. */
const MOST = 1000

/** The parts of a unit as lines of a table, and how many there are beyond what is printed. */
export function printedParts(root: TreeNode | undefined, most = MOST): { rows: PrintedPart[]; left: number } {
  const rows: PrintedPart[] = []
  let left = 0
  const add = (node: TreeNode, level: number, path: string) => {
    node.children.forEach((child, at) => {
      const id = `${path}.${at}`
      if (rows.length < most) rows.push({ id, node: child, level })
      else left += 1
      add(child, level + 1, id)
    })
  }
  if (root) add(root, 0, '')
  return { rows, left }
}
