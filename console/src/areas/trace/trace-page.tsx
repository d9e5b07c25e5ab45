import type { ReactNode } from 'react'
import { Begin } from './explore/Begin'
import { Explorer } from './explore/Explorer'
import { useTraceScan } from './explore/scan'
import { traceRoute } from './routes'

/** Where a unit came from, and where it went. */
export default function TracePage(): ReactNode {
  const { serial } = traceRoute.useSearch()
  useTraceScan()
  return serial === undefined ? <Begin /> : <Explorer key={serial} serial={serial} />
}
