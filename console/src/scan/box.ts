/** The id of the scan box. */
export const BOX = 'tw-scan-box'

export function isScanBox(element: Element): boolean {
  return element.id === BOX
}
