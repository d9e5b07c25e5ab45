import type { Text } from '@/i18n'
import type { Issue, Missing, Unit } from './records'

/** What a record lacks, in the words of the serial page. */
export function lackText(t: Text, unit: Pick<Unit, '_key'>, missing: Missing, issues: readonly Issue[]): string {
  switch (missing.kind) {
    case 'form_value_missing':
      return t('lack.value', { label: missing.label ?? '' })
    case 'component_missing': {
      const values = { count: missing.quantity ?? 1, product: missing.product_code ?? '' }
      const within = missing.parent_serial_key
      if (!within || within === unit._key) return t('lack.part', values)
      return t('lack.partOf', { ...values, parent: t('lack.aUnit') })
    }
    case 'issue_open': {
      const issue = issues.find(({ issue_key }) => issue_key === missing.issue_key)
      return t('lack.issue', { title: issue?.title ?? missing.issue_type_name ?? '' })
    }
    case 'step_not_done':
      return t('lack.step', { step: missing.step_title ?? '', phase: missing.phase_alias ?? '' })
    case 'file_missing':
      return t('lack.file', { name: missing.name ?? '' })
    case 'file_changed':
      return t('lack.fileChanged', { name: missing.name ?? '' })
    case 'code_missing':
      return t('lack.code')
    default:
      return t('lack.release')
  }
}
