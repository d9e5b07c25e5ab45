import type { Schemas } from '@/api'

type FileEntry = Schemas['FileEntry']

/** Types that every browser shows and that cannot carry scripts. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'])

export function isPicture(file: Pick<FileEntry, 'content_type'>): boolean {
  return PICTURES.has(file.content_type)
}

/** The files that were there at a moment. One that was replaced since shows as it is now: only its latest bytes are kept. */
export function filesThen<Entry extends Pick<FileEntry, 'created'>>(
  files: readonly Entry[],
  time: number | undefined,
): Entry[] {
  return time === undefined ? [...files] : files.filter(({ created }) => Date.parse(created) <= time)
}
