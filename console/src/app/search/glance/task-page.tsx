import { taskRoute } from '../routes'
import { TaskGlance } from './task'
import '../search.css'

export default function TaskPage() {
  const { taskKey } = taskRoute.useParams()
  return (
    <div className="tw-glance">
      <TaskGlance of={taskKey} />
    </div>
  )
}
