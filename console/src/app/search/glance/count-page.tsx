import { countRoute } from '../routes'
import { CountGlance } from './count'
import '../search.css'

export default function CountPage() {
  const { countKey } = countRoute.useParams()
  return (
    <div className="tw-glance">
      <CountGlance of={countKey} />
    </div>
  )
}
