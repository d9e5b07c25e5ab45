/*
 * What the panel needs of a scan.
 */

import type { Scanned } from '@/scan/gs1'

/** The code to look for; null if the scan is a link of the console. */
export function codeIn(scan: Scanned): string | null {
  if (scan.kind === 'plain') return scan.code
  if (scan.kind === 'gs1') return scan.serial ?? scan.lot ?? scan.sscc ?? scan.gtin ?? scan.raw
  return null
}

/** The key in a link of the console, such as one printed on a label. */
export function keyIn(scan: Scanned, page: 'order' | 'serial'): string | null {
  if (scan.kind !== 'console') return null
  const [, found, key] = /^\/(\w+)\/([^/?#]+)/.exec(scan.to) ?? []
  return found === page && key !== undefined ? decodeURIComponent(key) : null
}
