import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useSession } from '@/session'
import { Affected } from './recall/Affected'
import { RecallHead } from './recall/Head'
import { type Far, recallQuery } from './recall/queries'
import { RecallSheet } from './recall/Sheet'
import { Suspects } from './recall/Suspects'
import { isEmpty } from './recall/selection'
import { useSuspects } from './recall/use-suspects'
import { recallRoute } from './routes'
import './recall/recall.css'

/** Suspects in, affected units out. */
export default function RecallPage(): ReactNode {
  const { user_key } = useSession()
  const selection = recallRoute.useSearch()
  const suspects = useSuspects()
  const [far, setFar] = useState<Far>()
  const asks = !isEmpty(selection) && !suspects.lost
  const recall = useQuery({ ...recallQuery(user_key, selection, setFar), enabled: asks })
  const shown = asks ? recall.data : undefined
  return (
    <>
      <RecallHead recall={shown} busy={asks && recall.isFetching} onAgain={() => void recall.refetch()} />
      <Suspects suspects={suspects} />
      {asks && (
        <Affected
          recall={shown}
          error={recall.isError ? recall.error : undefined}
          far={far}
          suspects={suspects}
          onRetry={() => void recall.refetch()}
        />
      )}
      {shown && <RecallSheet recall={shown} suspects={suspects} />}
    </>
  )
}
