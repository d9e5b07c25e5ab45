import { useFormats, useText } from '@/i18n'
import { ToneMark } from '@/ui/StatusMark'
import { isNo } from './model/answer'
import type { Field } from './model/past'
import { valueText } from './value-text'

interface ShownValueProps {
  readonly kind: Field['field_type']
  readonly value: unknown
  /** The unit lacks the answer “yes”: it is released, and has a box that had to be ticked. */
  readonly fault?: boolean
}

/** A value as people read it. A “no” is marked, so that the eye finds it among many. */
export function ShownValue({ kind, value, fault = false }: ShownValueProps) {
  const t = useText()
  const formats = useFormats()
  if (isNo(kind, value)) {
    return (
      <ToneMark tone={fault ? 'critical' : 'waiting'} icon="deleted" look="tag">
        {t('ui.no')}
      </ToneMark>
    )
  }
  const text = valueText(t, formats, kind, value)
  return text === '' ? <span className="tw-none">–</span> : text
}
