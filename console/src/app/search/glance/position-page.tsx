import { positionRoute } from '../routes'
import { PositionGlance } from './position'
import '../search.css'

export default function PositionPage() {
  const { positionKey } = positionRoute.useParams()
  return (
    <div className="tw-glance">
      <PositionGlance of={positionKey} />
    </div>
  )
}
