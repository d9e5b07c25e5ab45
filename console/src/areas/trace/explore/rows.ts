import type { TraceNode, Unit, Web } from './web'

export interface Row {
  readonly id: string
  readonly unit: Unit
  /** The unit that the link leads to: what it is in, or what is in it. */
  readonly by: TraceNode | null
}

/** What the graph could show, whether open or not: the start, then what it went into, then what it is made from. */
export function rowsOf(web: Web): Row[] {
  const rank = { start: 0, to: 1, from: 2 }
  const rows = [...web.units].map(([id, unit]) => ({
    id,
    unit,
    by: unit.parent === null ? null : (web.units.get(unit.parent)?.node ?? null),
  }))
  return rows.sort((a, b) => rank[a.unit.side] - rank[b.unit.side] || a.unit.level - b.unit.level)
}

/** Rows whose codes or descriptions hold every word. */
export function matching(rows: readonly Row[], words: string | undefined): Row[] {
  const wanted = (words ?? '').toLocaleLowerCase().split(/\s+/).filter(Boolean)
  return rows.filter(({ unit: { node } }) => {
    const text = `${node.code ?? ''} ${node.product_code} ${node.product_description ?? ''}`.toLocaleLowerCase()
    return wanted.every((word) => text.includes(word))
  })
}
