/*
 * What is typed between the key that opens the search and the moment its box is there: it belongs into the box.
 */

interface Typed {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly isComposing: boolean
}

export class EarlyKeys {
  private kept: string | null = null

  /** The search was asked for. */
  begin(): void {
    this.kept = ''
  }

  /** Takes a key while the box is not there; true if it was a character that the box will show. */
  take(typed: Typed): boolean {
    if (this.kept === null || typed.ctrlKey || typed.metaKey || typed.altKey || typed.isComposing) return false
    if (typed.key === 'Escape') this.kept = null
    if (this.kept === null || [...typed.key].length !== 1) return false
    this.kept += typed.key
    return true
  }

  /** The box is there: what was typed so far. From now on keys go to the box itself. */
  end(): string {
    const text = this.kept ?? ''
    this.kept = null
    return text
  }
}
