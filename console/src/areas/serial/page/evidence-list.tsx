import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useRich, useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { Go } from '@/ui/Go'
import { Icon, type IconName } from '@/ui/icons'
import type { Act, ActKind } from './actions/acts'
import { unitAddress } from './address'
import { isNo } from './model/answer'
import { type Evidence, type EvidenceKind, remedyOf } from './model/evidence'
import { UploadMissing } from './upload-missing'
import type { UnitView } from './view'

interface Helpers {
  readonly view: UnitView
  readonly may: (kind: ActKind) => boolean
  readonly onAct: (act: Act) => void
  readonly mayUpload: boolean
}

const ICONS: Record<EvidenceKind, IconName> = {
  form_value_missing: 'edit',
  component_missing: 'built',
  issue_open: 'issue',
  step_not_done: 'task',
  file_missing: 'file',
  file_changed: 'file',
  code_missing: 'serial',
  not_released: 'todo',
}

/** So many at first: a unit that has just begun lacks nearly everything. */
const FIRST = 6

/** What the record lacks, each with what to do about it. */
export function EvidenceList({ list, ...helpers }: Helpers & { list: readonly Evidence[] }) {
  const t = useText()
  const [all, setAll] = useState(false)
  const shown = all || list.length <= FIRST + 1 ? list : list.slice(0, FIRST)
  const left = list.length - shown.length
  return (
    <>
      <ul className="tw-unit-evidence">
        {shown.map((evidence) => (
          <li key={JSON.stringify(evidence)}>
            <Icon className="tw-unit-evidence-icon" data-kind={evidence.kind} name={ICONS[evidence.kind]} />
            <div>
              <p className="tw-unit-evidence-what">
                <What evidence={evidence} view={helpers.view} />
              </p>
              <p className="tw-unit-evidence-todo">
                <Todo evidence={evidence} {...helpers} />
              </p>
            </div>
            <Help evidence={evidence} {...helpers} />
          </li>
        ))}
      </ul>
      {left > 0 && (
        <Button className="tw-no-print" size="compact-sm" variant="subtle" onClick={() => setAll(true)}>
          {t('serial.record.all', { count: left })}
        </Button>
      )}
    </>
  )
}

/** What is missing, in one sentence. */
export function What({ evidence, view }: { evidence: Evidence; view: UnitView }): ReactNode {
  const t = useText()
  const rich = useRich()
  switch (evidence.kind) {
    case 'form_value_missing':
      return t(isAnsweredNo(evidence, view) ? 'serial.record.isNo' : 'lack.value', { label: evidence.label ?? '' })
    case 'component_missing': {
      const key = evidence.parent_serial_key
      const count = evidence.quantity ?? 1
      const product = <span className="tw-code">{evidence.product_code}</span>
      if (!key || key === view.serialKey) return rich('lack.part', { count, product })
      const parent = <Code to={unitAddress(key)}>{view.codes.get(key) ?? t('lack.aUnit')}</Code>
      return rich('lack.partOf', { count, product, parent })
    }
    case 'issue_open':
      return t('lack.issue', { title: issueTitle(evidence, view) })
    case 'step_not_done':
      return t('lack.step', { step: evidence.step_title ?? '', phase: evidence.phase_alias ?? '' })
    case 'file_missing':
      return t('lack.file', { name: evidence.name ?? '' })
    case 'file_changed':
      return t('lack.fileChanged', { name: evidence.name ?? '' })
    case 'code_missing':
      return t('lack.code')
    default:
      return t('lack.release')
  }
}

/** A box that has to be ticked was not: it is answered, but not as it has to be. */
function isAnsweredNo({ form_field_key: key }: Evidence, view: UnitView): boolean {
  const fields = view.record.data?.acceptance_records.fields ?? []
  return fields.some((field) => field.form_field_key === key && isNo(field.field_type, field.value))
}

function issueTitle(evidence: Evidence, view: UnitView): string {
  const issues = view.record.data?.acceptance_records.issues ?? []
  const issue = issues.find(({ issue_key }) => issue_key === evidence.issue_key)
  return issue?.title ?? evidence.issue_type_name ?? ''
}

interface OneProps extends Helpers {
  readonly evidence: Evidence
}

const TODO = {
  form_value_missing: 'serial.todo.value',
  component_missing: 'serial.todo.part',
  issue_open: 'serial.todo.issue',
  step_not_done: 'serial.todo.step',
  file_missing: 'serial.todo.file',
  file_changed: 'serial.todo.fileChanged',
  code_missing: 'serial.todo.code',
  not_released: 'serial.todo.release',
} as const

function Todo({ evidence, view, may }: OneProps): ReactNode {
  const t = useText()
  const value = remedyOf(evidence) === 'value' || evidence.kind === 'file_changed'
  const needsRight = value && view.time === undefined && view.unit.data?.released !== null && !may('values')
  return (
    <>
      {t(TODO[evidence.kind])} {needsRight && t('serial.todo.correct')}
    </>
  )
}

/** The button or link that leads to the remedy, for those who may. */
function Help({ evidence, view, may, onAct, mayUpload }: OneProps): ReactNode {
  const t = useText()
  const button = (kind: ActKind, label: string, act: Act) =>
    may(kind) ? (
      <Button className="tw-no-print" size="compact-sm" variant="default" onClick={() => onAct(act)}>
        {label}
      </Button>
    ) : null
  const order = view.unit.data?.wo_key
  const field = evidence.form_field_key ?? undefined
  switch (remedyOf(evidence)) {
    case 'issue':
      return <a href="#issues">{t('serial.help.issue')}</a>
    case 'order':
      return order ? <Go to={`/order/${encodeURIComponent(order)}`}>{t('serial.help.order')}</Go> : null
    case 'file':
      if (evidence.kind === 'file_missing' && mayUpload && field && evidence.name) {
        return <UploadMissing serialKey={view.serialKey} field={field} name={evidence.name} />
      }
      return button('values', t('serial.help.value'), { kind: 'values', field })
    case 'value':
      return button('values', t('serial.help.value'), { kind: 'values', field })
    case 'code':
      return button('code', t('serial.help.code'), { kind: 'code' })
    case 'build':
      return button('build', t('serial.act.build'), buildFor(evidence, view))
    default:
      return button('release', t('serial.act.release'), { kind: 'release' })
  }
}

function buildFor(evidence: Evidence, view: UnitView): Act {
  const parentKey = evidence.parent_serial_key ?? view.serialKey
  if (!evidence.product_key) return { kind: 'build', parentKey }
  const product = { key: evidence.product_key, code: evidence.product_code ?? '', description: null }
  return { kind: 'build', parentKey, product }
}
