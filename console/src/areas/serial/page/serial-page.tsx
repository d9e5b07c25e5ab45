import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { useText } from '@/i18n'
import { useSession } from '@/session'
import { Empty } from '@/ui/Empty'
import { LoadFailed } from '@/ui/LoadFailed'
import { PageSkeleton } from '@/ui/Skeletons'
import { type Act, type ActKind, actsFor, whyNot } from './actions/acts'
import { ActDialogs, HeadActions } from './actions/menu'
import { FilesSection } from './files-section'
import { lineText } from './happening'
import { UnitHead } from './head'
import { IssuesSection } from './issues-section'
import { MakingSection } from './making-section'
import { isoOf } from './model/as-of'
import type { Mark } from './model/happenings'
import { PartsSection } from './parts-section'
import { UnitSheet } from './print-sheet'
import { configQuery } from './queries'
import { RecordSection } from './record-section'
import { serialRoute } from './route'
import { TimeSlider } from './time-slider'
import { TimelineSection } from './timeline-section'
import { type UnitView, useUnitView } from './view'
import './serial-page.css'

export default function SerialPage() {
  const { serialKey } = serialRoute.useParams()
  const { as_of: asOf } = serialRoute.useSearch()
  return <UnitPage key={serialKey} serialKey={serialKey} asOf={asOf} />
}

function UnitPage({ serialKey, asOf }: { serialKey: string; asOf: string | undefined }) {
  const view = useUnitView(serialKey, asOf)
  const navigate = useNavigate()
  const look = useCallback(
    (time: number | undefined) => {
      const search = time === undefined ? {} : { as_of: isoOf(time) }
      void navigate({ to: '/serial/$serialKey', params: { serialKey }, search, replace: true, resetScroll: false })
    },
    [navigate, serialKey],
  )
  if (view.unit.isPending) return <PageSkeleton />
  if (view.unit.isError) return <LoadFailed error={view.unit.error} onRetry={view.unit.refetch} />
  return <Unit view={view} onLook={look} />
}

/** What the user may do to the unit as it stands. */
function useActs(view: UnitView) {
  const { can } = useSession()
  const config = useQuery(configQuery())
  const unit = view.unit.data
  const rights = { create: can('traceability:event:create'), correct: can('serial:correct') }
  if (unit === undefined) return { acts: [], why: undefined }
  const codeEdit = config.data?.allow_serial_code_edit !== false
  return {
    acts: actsFor(unit, view.around.length > 0, rights, codeEdit),
    why: whyNot(unit, rights, view.time !== undefined),
  }
}

function Unit({ view, onLook }: { view: UnitView; onLook: (time: number | undefined) => void }) {
  const t = useText()
  const { can } = useSession()
  const [act, setAct] = useState<Act>()
  const { acts, why } = useActs(view)
  const onAct = useCallback((next: Act) => setAct(next), [])
  const wordsOf = (mark: Mark) => (mark.headline ? lineText(t, mark.headline, view.codes) : t('serial.time.inside'))
  const may = (kind: ActKind) => why === undefined && acts.includes(kind)
  const present = view.time === undefined && view.unit.data?.deleted === null
  const mayUpload = present && can('attachment:file:upload')
  return (
    <div className="tw-unit" data-past={view.time !== undefined || undefined}>
      <UnitHead
        view={view}
        actions={<HeadActions view={view} acts={acts} why={why} onAct={onAct} mayTrace={can('trace:read')} />}
      />
      <div className="tw-no-print tw-unit-time">
        <TimeSlider scale={view.scale} marks={view.marks} time={view.time} onChange={onLook} wordsOf={wordsOf} />
      </div>
      {view.notYet ? (
        <NotYet view={view} onLook={onLook} />
      ) : (
        <div className="tw-unit-columns">
          <div className="tw-unit-main">
            <PartsSection view={view} onAct={may('build') ? onAct : undefined} />
            <MakingSection view={view} onAct={may('values') ? onAct : undefined} />
            <IssuesSection view={view} />
            <FilesSection view={view} mayUpload={mayUpload} />
          </div>
          <div className="tw-unit-side">
            <RecordSection view={view} may={may} onAct={onAct} mayUpload={mayUpload} />
            <TimelineSection view={view} onLook={onLook} />
          </div>
        </div>
      )}
      <UnitSheet view={view} />
      {act && <ActDialogs act={act} view={view} onClose={() => setAct(undefined)} />}
    </div>
  )
}

function NotYet({ view, onLook }: { view: UnitView; onLook: (time: number) => void }) {
  const t = useText()
  return (
    <Empty
      icon="clock"
      title={t('serial.notYet.title')}
      action={
        <Button variant="default" onClick={() => onLook(view.scale.from)}>
          {t('serial.notYet.go')}
        </Button>
      }
    >
      {t('serial.notYet.text')}
    </Empty>
  )
}
