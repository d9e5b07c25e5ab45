import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { useRich, useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { Go } from '@/ui/Go'
import { Icon, type IconName } from '@/ui/icons'

import type { Act } from './actions/acts'
import { unitAddress } from './address'
import { type Evidence, type EvidenceKind, remedyOf } from './model/evidence'
import type { UnitView } from './view'

interface EvidenceListProps {
  readonly list: readonly Evidence[]
  readonly view: UnitView
  readonly onAct: ((act: Act) => void) | undefined
  readonly onUpload: ((field: string | null) => void) | undefined
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

/** What the record lacks, each with what to do about it. */
export function EvidenceList({ list, view, onAct, onUpload }: EvidenceListProps) {
  return (
    <ul className="tw-unit-evidence">
      {list.map((evidence) => (
        <li key={JSON.stringify(evidence)}>
          <Icon className="tw-unit-evidence-icon" data-kind={evidence.kind} name={ICONS[evidence.kind]} />
          <div>
            <p className="tw-unit-evidence-what">
              <What evidence={evidence} view={view} />
            </p>
            <p className="tw-unit-evidence-todo">
              <Todo evidence={evidence} released={view.unit.data?.released !== null} />
            </p>
          </div>
          <Help evidence={evidence} view={view} onAct={onAct} onUpload={onUpload} />
        </li>
      ))}
    </ul>
  )
}

function What({ evidence, view }: { evidence: Evidence; view: UnitView }): ReactNode {
  const t = useText()
  const rich = useRich()
  switch (evidence.kind) {
    case 'form_value_missing':
      return t('serial.lack.value', { label: evidence.label ?? '' })
    case 'component_missing': {
      const key = evidence.parent_serial_key
      const count = evidence.quantity ?? 1
      const product = <span className="tw-code">{evidence.product_code}</span>
      if (!key || key === view.serialKey) return rich('serial.lack.part', { count, product })
      const parent = <Code to={unitAddress(key)}>{view.codes.get(key) ?? t('serial.aUnit')}</Code>
      return rich('serial.lack.partOf', { count, product, parent })
    }
    case 'issue_open': {
      const issue = view.record.data?.acceptance_records.issues.find(
        ({ issue_key }) => issue_key === evidence.issue_key,
      )
      return t('serial.lack.issue', { title: issue?.title ?? evidence.issue_type_name ?? '' })
    }
    case 'step_not_done':
      return t('serial.lack.step', { step: evidence.step_title ?? '', phase: evidence.phase_alias ?? '' })
    case 'file_missing':
      return t('serial.lack.file', { name: evidence.name ?? '' })
    case 'file_changed':
      return t('serial.lack.fileChanged', { name: evidence.name ?? '' })
    case 'code_missing':
      return t('serial.lack.code')
    default:
      return t('serial.lack.release')
  }
}

function Todo({ evidence, released }: { evidence: Evidence; released: boolean }): ReactNode {
  const t = useText()
  const { kind } = evidence
  if (kind === 'form_value_missing') return t(released ? 'serial.todo.valueReleased' : 'serial.todo.value')
  const texts = {
    component_missing: 'serial.todo.part',
    issue_open: 'serial.todo.issue',
    step_not_done: 'serial.todo.step',
    file_missing: 'serial.todo.file',
    file_changed: 'serial.todo.fileChanged',
    code_missing: 'serial.todo.code',
    not_released: 'serial.todo.release',
  } as const
  return t(texts[kind])
}

function Help({ evidence, view, onAct, onUpload }: HelpProps): ReactNode {
  const t = useText()
  const button = (label: string, act: () => void) => (
    <Button className="tw-no-print" size="compact-sm" variant="default" onClick={act}>
      {label}
    </Button>
  )
  const order = view.unit.data?.wo_key
  const remedy = remedyOf(evidence)
  if (remedy === 'issue') return <a href="#issues">{t('serial.help.issue')}</a>
  if (remedy === 'order') {
    return order ? <Go to={`/order/${encodeURIComponent(order)}`}>{t('serial.help.order')}</Go> : null
  }
  if (remedy === 'file') {
    return onUpload ? button(t('serial.help.file'), () => onUpload(evidence.form_field_key ?? null)) : null
  }
  if (!onAct) return null
  if (remedy === 'value') {
    return button(t('serial.help.value'), () => onAct({ kind: 'values', field: evidence.form_field_key ?? undefined }))
  }
  if (remedy === 'code') return button(t('serial.help.code'), () => onAct({ kind: 'code' }))
  if (remedy === 'build') return button(t('serial.act.build'), () => onAct(buildFor(evidence, view)))
  return order ? null : button(t('serial.act.release'), () => onAct({ kind: 'release' }))
}

interface HelpProps extends Omit<EvidenceListProps, 'list'> {
  readonly evidence: Evidence
}

function buildFor(evidence: Evidence, view: UnitView): Act {
  const parentKey = evidence.parent_serial_key ?? view.serialKey
  if (!evidence.product_key) return { kind: 'build', parentKey }
  const product = { key: evidence.product_key, code: evidence.product_code ?? '', description: null }
  return { kind: 'build', parentKey, product }
}
