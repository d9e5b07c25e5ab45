/*
 * A value for each key that components can follow, also after they were shown elsewhere in between.
 */

import { useCallback, useSyncExternalStore } from 'react'

export class Cells<T> {
  private readonly values = new Map<string, T>()
  private readonly listeners = new Set<() => void>()

  constructor(
    private readonly initial: (key: string) => T,
    private readonly onSet: (key: string, value: T) => void = () => undefined,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  get(key: string): T {
    const known = this.values.get(key)
    if (known !== undefined) return known
    const first = this.initial(key)
    this.values.set(key, first)
    return first
  }

  set(key: string, value: T): void {
    this.values.set(key, value)
    this.onSet(key, value)
    for (const listener of this.listeners) listener()
  }
}

export function useCell<T>(cells: Cells<T>, key: string): [T, (value: T) => void] {
  const value = useSyncExternalStore(cells.subscribe, () => cells.get(key))
  const set = useCallback((next: T) => cells.set(key, next), [cells, key])
  return [value, set]
}
