import type { FileRef } from './values'

/**
 * Stores files and puts them beside those of the answer. Several uploads may be under way at once, so what the answer holds is asked once
 * the files are stored.
 */
export async function addFiles(
  store: () => Promise<readonly FileRef[]>,
  current: () => readonly FileRef[],
  onChange: (files: readonly FileRef[]) => void,
): Promise<void> {
  const stored = await store()
  const names = new Set(stored.map(({ name }) => name))
  onChange([...current().filter(({ name }) => !names.has(name)), ...stored])
}
