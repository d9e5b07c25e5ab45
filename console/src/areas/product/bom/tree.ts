import type { Decimal } from '@/api/decimal'
import type { Explosion, TraceLevel } from '../queries'
import { along } from './exact'

/** A component at one place of the structure. The same sub-assembly may stand at many places, each time as its own node. */
export interface BomNode {
  /** The path of line keys from the top. */
  readonly id: string
  readonly key: string
  readonly code: string
  readonly description: string | null
  readonly level: number
  readonly phaseKey: string
  /** In one unit of what is above it. */
  readonly perUnit: Decimal
  /** Along this path, for the quantity that was asked for. */
  readonly total: string
  readonly traceability: TraceLevel
  /** It has components of its own that the levels asked for leave out. */
  readonly cut: boolean
  readonly above: BomNode | null
}

export interface BomTree {
  readonly roots: readonly BomNode[]
  readonly children: (node: BomNode) => readonly BomNode[]
  /** How many lines the structure has if everything is opened; at most the limit. */
  readonly size: (limit: number) => number
}

function isAbove(node: BomNode | null, key: string): boolean {
  for (let at = node; at !== null; at = at.above) if (at.key === key) return true
  return false
}

function byParent(explosion: Explosion): Map<string, Explosion['lines']> {
  const found = new Map<string, Explosion['lines']>()
  for (const line of explosion.lines) {
    const lines = found.get(line.parent_key)
    if (lines) lines.push(line)
    else found.set(line.parent_key, [line])
  }
  for (const lines of found.values()) lines.sort((a, b) => a.component_code.localeCompare(b.component_code))
  return found
}

/**
 * The structure as a tree that grows where it is opened: a shared sub-assembly is answered once and may occur a million times.
 * The service refuses loops; should one come nevertheless, it is not followed.
 */
export function bomTree(explosion: Explosion): BomTree {
  const lines = byParent(explosion)
  const nodes = new Map(explosion.nodes.map((node) => [node.product_key, node]))
  const made = new Map<string, readonly BomNode[]>()

  const below = (key: string, total: Decimal, above: BomNode | null): readonly BomNode[] => {
    if (explosion.levels !== null && (above?.level ?? 0) >= explosion.levels) return []
    return (lines.get(key) ?? [])
      .filter((line) => line.component_key !== explosion.product_key && !isAbove(above, line.component_key))
      .map((line) => {
        const known = nodes.get(line.component_key)
        const level = (above?.level ?? 0) + 1
        return {
          id: above === null ? line.bom_line_key : `${above.id}/${line.bom_line_key}`,
          key: line.component_key,
          code: line.component_code,
          description: known?.product_description ?? null,
          level,
          phaseKey: line.phase_key,
          perUnit: line.qt,
          total: along(total, line.qt),
          traceability: known?.traceability_level ?? null,
          cut: known?.has_bom === true && explosion.levels !== null && level >= explosion.levels,
          above,
        }
      })
  }

  const children = (node: BomNode) => {
    const known = made.get(node.id)
    if (known) return known
    const found = below(node.key, node.total, node)
    made.set(node.id, found)
    return found
  }
  const roots = below(explosion.product_key, explosion.qt, null)
  return { roots, children, size: (limit) => sizeOf(roots, children, limit) }
}

function sizeOf(roots: readonly BomNode[], children: (node: BomNode) => readonly BomNode[], limit: number): number {
  let count = 0
  const waiting = [...roots]
  for (let node = waiting.pop(); node !== undefined && count < limit; node = waiting.pop()) {
    count += 1
    waiting.push(...children(node))
  }
  return Math.min(count, limit)
}

/** How deep the structure is. */
export function depthOf(explosion: Explosion): number {
  return explosion.nodes.reduce((deepest, { depth_max }) => Math.max(deepest, depth_max), 0)
}

/** The phases that lines of the structure name. */
export function phaseKeysOf(explosion: Explosion): string[] {
  return [...new Set(explosion.lines.map(({ phase_key }) => phase_key))].sort()
}

/** The products that the structure is made of. */
export function componentsOf(explosion: Explosion): string[] {
  return explosion.nodes.map(({ product_key }) => product_key)
}
