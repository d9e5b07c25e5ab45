import { barsOf } from './code128'

const HEIGHT = 44
const QUIET = 10

/** A code as Code 128 on white, for scanners. Codes with characters that it lacks are left to be typed. */
export function Barcode({ value }: { value: string }) {
  const found = barsOf(value)
  if (found === null) return null
  const width = found.width + 2 * QUIET
  return (
    <svg
      className="tw-wo-barcode"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={value}
      shapeRendering="crispEdges"
    >
      <rect width={width} height={HEIGHT} fill="#fff" />
      {found.bars.map(({ x, width: wide }) => (
        <rect key={x} x={QUIET + x} width={wide} height={HEIGHT} fill="#000" />
      ))}
    </svg>
  )
}
