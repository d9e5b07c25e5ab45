import { Button, NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useMemo, useState } from 'react'
import { compare, parse, separatorsOf } from '@/api/decimal'
import { useFormats, useText } from '@/i18n'
import { fullName } from '@/session'
import { fieldPath } from '@/ui/fault-paths'
import { splitJob, splitName, useAct } from '../mutations'
import { wrongQuantity } from '../new-order/form'
import type { Job } from '../orders'
import { usePeople } from '../people'
import { divisible } from './allowed'
import '../new-order/new-order.css'
import { Dialog } from '@/ui/Dialog'

/** Divides a job in two, perhaps for another operator. */
export function SplitDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const t = useText()
  const formats = useFormats()
  const separators = useMemo(() => separatorsOf(formats.tag), [formats.tag])
  const { operators } = usePeople()
  const { act, busy, failure, sending } = useAct()
  const [typed, setTyped] = useState('')
  const [operator, setOperator] = useState('')
  const [wrong, setWrong] = useState<string>()
  const operatorKey = operator === '' ? null : operator
  const most = divisible(job)

  const check = (): string | undefined => {
    const found = wrongQuantity(typed, job.traceability_level !== null, separators)[0]
    if (found !== undefined) return t(found.text)
    const quantity = parse(typed, separators) ?? '0'
    // It may be done already, and the job may have less since: then only its answer is wanted.
    if (sending.isOpen(splitName(job, quantity, operatorKey))) return undefined
    const fits = compare(quantity, most) <= 0 && compare(quantity, job.qt_planned) < 0
    return fits ? undefined : t('production.split.more', { quantity: formats.decimal(most) })
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const fault = check()
    setWrong(fault)
    const quantity = parse(typed, separators)
    if (fault !== undefined || quantity === null || busy) return
    if (await act(() => splitJob(sending, job, quantity, operatorKey))) onClose()
  }
  const refused = failure?.offline ? t('production.new.offline') : failure?.message
  return (
    <Dialog onClose={onClose} title={t('production.split.title', { phase: job.phase_alias })}>
      <form className="tw-new-order" onSubmit={submit} noValidate>
        <p className="tw-new-order-about">
          {t('production.split.text', { quantity: formats.decimal(job.qt_planned) })}
        </p>
        <TextInput
          {...fieldPath('qt_planned')}
          label={t('production.split.quantity')}
          inputMode="decimal"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={wrong ?? refused}
          data-autofocus
        />
        <NativeSelect
          label={t('production.split.operator')}
          value={operator}
          onChange={(event) => setOperator(event.currentTarget.value)}
        >
          <option value="">{t('production.job.nobody')}</option>
          {operators.map((person) => (
            <option key={person._key} value={person._key}>
              {fullName(person)}
            </option>
          ))}
        </NativeSelect>
        <div className="tw-new-order-buttons">
          <Button variant="default" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button type="submit" loading={busy}>
            {t('production.split.action')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
