import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useMemo, useState } from 'react'
import { format, parse, separatorsOf } from '@/api/decimal'
import { useFormats, useText } from '@/i18n'
import { fieldPath } from '@/ui/fault-paths'
import { changeQuantity, useAct } from '../mutations'
import { wrongQuantity } from '../new-order/form'
import type { Order } from '../orders'
import '../new-order/new-order.css'
import { Dialog } from '@/ui/Dialog'

/** Another planned quantity, for all phases. */
export function QuantityDialog({ order, onClose }: { order: Order; onClose: () => void }) {
  const t = useText()
  const formats = useFormats()
  const separators = useMemo(() => separatorsOf(formats.tag), [formats.tag])
  const { act, busy, failure } = useAct()
  const [typed, setTyped] = useState(() => format(order.qt_planned, separators))
  const [wrong, setWrong] = useState<string>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const found = wrongQuantity(typed, order.traceability_level !== null, separators)[0]
    setWrong(found && t(found.text))
    const quantity = parse(typed, separators)
    if (found !== undefined || quantity === null || busy) return
    if (await act((sending) => changeQuantity(sending, order._key, quantity))) onClose()
  }
  const refused = failure?.offline ? t('production.new.offline') : failure?.message
  return (
    <Dialog onClose={onClose} title={t('production.edit.quantity.title', { code: order.wo_code })}>
      <form className="tw-new-order" onSubmit={submit} noValidate>
        <p className="tw-new-order-about">{t('production.edit.quantity.text')}</p>
        <TextInput
          {...fieldPath('new_quantity')}
          label={t('production.new.quantity')}
          inputMode="decimal"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={wrong ?? refused}
          data-autofocus
        />
        <div className="tw-new-order-buttons">
          <Button variant="default" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button type="submit" loading={busy}>
            {t('production.edit.save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
