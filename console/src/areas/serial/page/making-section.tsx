import { Button } from '@mantine/core'
import { useMemo } from 'react'
import { mediaUrl } from '@/api'
import { useFormats, useText } from '@/i18n'
import { Icon } from '@/ui/icons'
import { LoadFailed } from '@/ui/LoadFailed'
import { Moment } from '@/ui/Moment'
import { Section } from '@/ui/Section'
import { Lines } from '@/ui/Skeletons'
import { StatusMark } from '@/ui/StatusMark'
import type { Act } from './actions/acts'
import { isNo } from './model/answer'
import { textOf } from './model/events'
import { isFilled, type MadePhase, type MadeStep, makingAt } from './model/making'
import type { Field } from './model/past'
import { ShownValue } from './shown-value'
import type { UnitView } from './view'

interface MakingSectionProps {
  readonly view: UnitView
  readonly onAct: ((act: Act) => void) | undefined
}

/** How it was made: phases, steps, and the values that were entered there. */
export function MakingSection({ view, onAct }: MakingSectionProps) {
  const t = useText()
  const { record, fields, time } = view
  const making = useMemo(() => {
    if (!record.data) return undefined
    const { acceptance_records: accepted, dates_of_manufacture: dates } = record.data
    return makingAt({ fields, steps: accepted.step_data, phases: dates.phases }, time)
  }, [record.data, fields, time])
  const empty = making && making.own.length === 0 && making.phases.length === 0
  return (
    <div id="making">
      <Section
        title={t('serial.making.title')}
        actions={
          onAct &&
          fields.length > 0 && (
            <Button
              className="tw-no-print"
              size="compact-sm"
              variant="subtle"
              leftSection={<Icon name="edit" size={14} />}
              onClick={() => onAct({ kind: 'values' })}
            >
              {t('serial.act.values')}
            </Button>
          )
        }
      >
        {record.isPending && <Lines count={5} />}
        {record.isError && <LoadFailed error={record.error} onRetry={record.refetch} />}
        {empty && <p className="tw-unit-later">{t('serial.making.none')}</p>}
        {making && making.own.length > 0 && <Values fields={making.own} view={view} />}
        {making?.phases.map((phase) => (
          <PhasePart key={phase.key} phase={phase} view={view} />
        ))}
      </Section>
    </div>
  )
}

function PhasePart({ phase, view }: { phase: MadePhase; view: UnitView }) {
  const t = useText()
  const formats = useFormats()
  return (
    <div className="tw-unit-phase">
      <h3>
        {phase.alias ?? t('serial.making.phase')}
        <span className="tw-unit-phase-when">
          {phase.start === null ? (
            t('serial.making.notStarted')
          ) : (
            <>
              <Moment at={phase.start} as="dateTime" />
              {phase.end !== null && <> · {formats.duration(Date.parse(phase.end) - Date.parse(phase.start))}</>}
            </>
          )}
        </span>
      </h3>
      {phase.fields.length > 0 && <Values fields={phase.fields} view={view} />}
      <ul className="tw-unit-steps">
        {phase.steps.map((step) => (
          <StepPart key={step.key} step={step} view={view} />
        ))}
      </ul>
    </div>
  )
}

function StepPart({ step, view }: { step: MadeStep; view: UnitView }) {
  const t = useText()
  return (
    <li>
      <div className="tw-unit-step">
        <span className="tw-unit-step-mark">{step.status && <StatusMark of="step" state={step.status} />}</span>
        <span>{step.title ?? t('serial.making.step')}</span>
        <span className="tw-unit-step-who">
          {step.by} {step.at && <Moment at={step.at} as="time" />}
        </span>
      </div>
      {step.fields.length > 0 && <Values fields={step.fields} view={view} bare />}
    </li>
  )
}

/** Values: what, how much, and since when where that is not clear from the step. */
function Values({ fields, view, bare = false }: { fields: readonly Field[]; view: UnitView; bare?: boolean }) {
  return (
    <dl className="tw-unit-values">
      {fields
        .filter(({ field_type }) => field_type !== 'separator')
        .map((field) => (
          <div key={`${field.form_field_key} ${field.custom_field_key}`}>
            <dt>{field.label}</dt>
            <dd data-kind={field.field_type ?? undefined}>
              <FieldValue field={field} view={view} />
            </dd>
            {!bare && (
              <dd className="tw-unit-values-when">
                {field.last_updated && isFilled(field) && <Moment at={field.last_updated} as="date" />}
              </dd>
            )}
          </div>
        ))}
    </dl>
  )
}

function FieldValue({ field, view }: { field: Field; view: UnitView }) {
  const t = useText()
  const released = view.facts?.released != null
  const isLacking = !isFilled(field) && field.mandatory
  if (isLacking && !isNo(field.field_type, field.value)) {
    return released ? (
      <span className="tw-unit-lack">{t('serial.making.missing')}</span>
    ) : (
      <span className="tw-unit-open">{t('serial.making.toCome')}</span>
    )
  }
  if (field.field_type === 'files' && Array.isArray(field.value)) return <Files field={field} view={view} />
  return <ShownValue kind={field.field_type} value={field.value} fault={released && isLacking} />
}

/** The files that a value names, as links where they are stored. */
function Files({ field, view }: { field: Field; view: UnitView }) {
  const t = useText()
  const stored = view.record.data?.attachments ?? []
  const names = Array.isArray(field.value) ? field.value.flatMap((file) => textOf(file, 'name') ?? []) : []
  return (
    <>
      {names.map((name) => {
        const file = stored.find((one) => one.form_field_key === field.form_field_key && one.name === name)
        const url = mediaUrl(file?.path)
        return (
          <span className="tw-unit-file-name" key={name}>
            {url ? (
              <a href={url} target="_blank" rel="noreferrer">
                {name}
              </a>
            ) : (
              <span className="tw-unit-lack">{t('serial.making.fileMissing', { name })}</span>
            )}
          </span>
        )
      })}
    </>
  )
}
