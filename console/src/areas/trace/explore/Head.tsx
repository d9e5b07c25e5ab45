import { Button, Checkbox, SegmentedControl, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { Go } from '@/ui/Go'
import { PageHead } from '@/ui/PageHead'
import { useTyped } from '@/ui/use-typed'
import { placeQuery } from '../queries'
import { traceRoute } from '../routes'
import { fromInput, toInput, VIEWS, type ViewName } from './address'
import { useAnswer } from './answer'
import { codeOf } from './names'
import { UnitMark } from './UnitMark'
import type { Web } from './web'
import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'

/** What was traced, and the answer: in what it is, where that is, and how much is in it. */
export function ExplorerHead({ web }: { web: Web }) {
  const t = useText()
  const unit = web.units.get(web.start)
  const start = unit?.node
  const place = useQuery({ ...placeQuery(start?.serial_key ?? ''), enabled: start?.serial_key != null })
  const answer = useAnswer(web, place.data ?? undefined)
  if (!unit || !start) return null
  const code = codeOf(t, start)
  return (
    <PageHead
      title={t('trace.of', { code })}
      shown={
        start.code === null ? (
          code
        ) : (
          <Code to={`/serial/${encodeURIComponent(start.serial_key ?? '')}`}>{start.code}</Code>
        )
      }
      trail={
        <>
          <Go to="/trace">{t('pages.trace')}</Go>
          <span aria-hidden="true">›</span>
          <span>
            {start.product_code} {start.product_description}
          </span>
        </>
      }
      mark={<UnitMark unit={unit} look="tag" />}
      answer={answer}
    />
  )
}

/** How it is shown, and as of when. */
export function ViewLine() {
  const t = useText()
  const { view = 'graph', as_of, replaced } = traceRoute.useSearch()
  const navigate = traceRoute.useNavigate()
  const choose = (next: ViewName) =>
    void navigate({ search: (old) => ({ ...old, view: next === 'graph' ? undefined : next }), replace: true })
  const setMoment = (moment: string | undefined) =>
    void navigate({ search: (old) => ({ ...old, as_of: moment }), replace: true })
  const typed = useTyped(toInput(as_of), (text) => setMoment(fromInput(text)))
  return (
    <div className="tw-trace-line">
      <SegmentedControl
        aria-label={t('trace.view.label')}
        size="sm"
        value={view}
        onChange={(next) => choose(VIEWS.find((one) => one === next) ?? 'graph')}
        data={VIEWS.map((value) => ({ value, label: t(`trace.view.${value}`) }))}
      />
      <span className="tw-trace-space" />
      <Checkbox
        label={t('trace.replaced')}
        title={as_of === undefined ? undefined : t('trace.replaced.asOf')}
        checked={replaced === true && as_of === undefined}
        disabled={as_of !== undefined}
        onChange={({ currentTarget: { checked } }) =>
          void navigate({ search: (old) => ({ ...old, replaced: checked ? true : undefined }), replace: true })
        }
      />
      <div className="tw-trace-moment">
        <label htmlFor="tw-trace-moment">{t('trace.asOf')}</label>
        <TextInput {...typed} id="tw-trace-moment" type="datetime-local" max={toInput(new Date().toISOString())} />
      </div>
      {as_of !== undefined && (
        <Button variant="subtle" size="compact-sm" onClick={() => setMoment(undefined)}>
          {t('trace.asOf.clear')}
        </Button>
      )}
    </div>
  )
}
