import type { Spot } from './layout'
import { type Side, wayOut } from './web'

export type Step = { readonly go: string } | { readonly open: string } | { readonly close: string } | undefined

function sideOut(spot: Spot, key: string): Side | undefined {
  if (key === 'ArrowLeft' && spot.entry.side !== 'to') return 'from'
  return key === 'ArrowRight' && spot.entry.side !== 'from' ? 'to' : undefined
}

/** Away from the start: opens first, then goes in, as in a tree. */
function outward(spots: readonly Spot[], spot: Spot, side: Side): Step {
  const { entry } = spot
  if (entry.kind === 'fold') return { open: entry.id }
  if (entry.more[side] === 0) return undefined
  if (!entry.open[side]) return { open: wayOut(side, entry.id) }
  const first = spots.find((one) => one.entry.parent === entry.id && one.entry.side === side)
  return first && { go: first.entry.id }
}

function nearest(spots: readonly Spot[], spot: Spot, down: boolean): Step {
  const sign = down ? 1 : -1
  const beyond = spots.filter(({ x, y }) => x === spot.x && (y - spot.y) * sign > 0).sort((a, b) => (a.y - b.y) * sign)
  return beyond[0] && { go: beyond[0].entry.id }
}

function change(spot: Spot, open: boolean): Step {
  const { entry } = spot
  if (entry.kind === 'fold') return open ? { open: entry.id } : undefined
  const sides: Side[] = entry.side === 'start' ? ['from', 'to'] : [entry.side]
  const side = sides.find((one) => entry.more[one] > 0 && entry.open[one] !== open)
  if (!side) return undefined
  return open ? { open: wayOut(side, entry.id) } : { close: wayOut(side, entry.id) }
}

/** What a key does in the graph. */
export function walk(spots: readonly Spot[], at: string, key: string): Step {
  const spot = spots.find(({ entry }) => entry.id === at)
  const start = spots[0]
  if (!spot) return start && { go: start.entry.id }
  const side = sideOut(spot, key)
  if (side) return outward(spots, spot, side)
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowRight':
      return spot.entry.parent === null ? undefined : { go: spot.entry.parent }
    case 'ArrowUp':
    case 'ArrowDown':
      return nearest(spots, spot, key === 'ArrowDown')
    case 'Home':
      return start && { go: start.entry.id }
    case '+':
      return change(spot, true)
    case '-':
      return change(spot, false)
    default:
      return undefined
  }
}
