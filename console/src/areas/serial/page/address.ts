/** The address of a unit, at the moment that the page looks at. */
export function unitAddress(serialKey: string, asOf?: string): string {
  const path = `/serial/${encodeURIComponent(serialKey)}`
  return asOf === undefined ? path : `${path}?as_of=${encodeURIComponent(asOf)}`
}
