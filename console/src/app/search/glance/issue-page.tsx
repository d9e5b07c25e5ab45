import { issueRoute } from '../routes'
import { IssueGlance } from './issue'
import '../search.css'

export default function IssuePage() {
  const { issueKey } = issueRoute.useParams()
  return (
    <div className="tw-glance">
      <IssueGlance of={issueKey} />
    </div>
  )
}
