import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useMemo, useState } from 'react'
import { type ApiFailure, api, detail, failureOf } from '@/api'
import { separatorsOf } from '@/api/decimal'
import { useFormats, useText } from '@/i18n'
import { useScan } from '@/scan'
import { Faults } from '@/ui/Faults'
import type { ShownFault } from '@/ui/fault-paths'
import { putQueue } from '../mutations'
import { productByCode, productQuery } from '../queries'
import { Sending } from '../sending'
import type { Made } from './created'
import { OrderFields } from './fields'
import { bodyOf, type Entered, NOTHING, refusalsOf, withoutChanged, wrongIn } from './form'
import './new-order.css'
import { Dialog } from '@/ui/Dialog'

interface DialogProps {
  /** The product that was chosen elsewhere. */
  readonly product: string | undefined
  readonly onClose: () => void
  readonly onMade: (made: Made) => void
}

/** The form of a new order. */
export default function NewOrderDialog({ product, onClose, onMade }: DialogProps) {
  const t = useText()
  const formats = useFormats()
  const client = useQueryClient()
  const separators = useMemo(() => separatorsOf(formats.tag), [formats.tag])
  const sending = useMemo(() => new Sending(), [])
  const [entered, setEntered] = useState<Entered>({ ...NOTHING, product: product ?? null })
  const [faults, setFaults] = useState<readonly ShownFault[]>([])
  const [message, setMessage] = useState<string>()
  const [busy, setBusy] = useState(false)
  const chosen = useQuery({ ...productQuery(entered.product ?? ''), enabled: entered.product !== null })

  const change = (changes: Partial<Entered>) => {
    setEntered((old) => ({ ...old, ...changes }))
    setFaults((old) => withoutChanged(old, changes))
  }
  useScan(
    (scan) => {
      if (scan.kind !== 'plain') return undefined
      return productByCode(scan.code).then((key) => {
        if (key === undefined) return { ok: false, say: t('production.new.product.none', { text: scan.code }) }
        change({ product: key })
        return { ok: true }
      })
    },
    { priority: 20 },
  )

  const refuse = (failure: ApiFailure) => {
    const refusals = refusalsOf(failure)
    setFaults(refusals)
    if (refusals.length === 0) setMessage(failure.offline ? t('production.new.offline') : failure.message)
  }
  const create = async () => {
    const body = bodyOf(entered, separators)
    const params = { header: { 'Idempotency-Key': sending.keyFor(body) } }
    const { work_order: order } = await detail(api.POST('/work-order', { params, body }))
    const failure = entered.first ? await putFirst(order._key) : null
    await client.invalidateQueries({ queryKey: ['production'] })
    onMade({ key: order._key, code: order.wo_code, first: entered.first && failure === null, failure })
    onClose()
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    const known = chosen.data
    const shape = known && { traced: known.traceability_level !== null, phases: known.process_phases.length }
    const wrong = wrongIn(entered, shape, separators).map(({ path, text }) => ({ path, message: t(text) }))
    setMessage(undefined)
    setFaults(wrong)
    if (wrong.length > 0) return
    setBusy(true)
    await create().catch((error) => refuse(failureOf(error)))
    setBusy(false)
  }

  return (
    <Dialog onClose={onClose} size={620} title={t('production.new.title')}>
      <form className="tw-new-order" onSubmit={submit} noValidate>
        <Faults faults={faults} message={message} nameOf={nameOfField(t)} />
        <OrderFields entered={entered} onChange={change} faults={faults} product={chosen.data} />
        <div className="tw-new-order-buttons">
          <Button variant="default" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button type="submit" loading={busy}>
            {t('production.new.create')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

async function putFirst(key: string): Promise<ApiFailure | null> {
  try {
    await putQueue([key])
    return null
  } catch (error) {
    return failureOf(error)
  }
}

function nameOfField(t: ReturnType<typeof useText>) {
  const names: Readonly<Record<string, string>> = {
    product_key: t('production.new.product'),
    qt_planned: t('production.new.quantity'),
    due_by: t('production.new.due'),
    start_from: t('production.new.from'),
    project_code: t('production.new.project'),
    wo_code: t('production.new.code'),
    output_position_key: t('production.new.position'),
    notes: t('production.new.notes'),
  }
  return (path: string) => names[path]
}
