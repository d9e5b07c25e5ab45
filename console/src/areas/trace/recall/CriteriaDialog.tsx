import { Button, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useText } from '@/i18n'
import { useSession } from '@/session'
import { Dialog } from '@/ui/Dialog'
import { PickOne } from './PickOne'
import { orderNameQuery, ordersQuery, productNameQuery, productsQuery } from './queries'
import { type Criteria, hasCriteria } from './selection'

interface CriteriaDialogProps {
  readonly criteria: Criteria
  readonly onApply: (criteria: Criteria) => void
  readonly onClose: () => void
}

/** Suspects by what they are: product, code, order, days. */
export function CriteriaDialog({ criteria, onApply, onClose }: CriteriaDialogProps) {
  const t = useText()
  const { can } = useSession()
  const [draft, setDraft] = useState(criteria)
  const [fault, setFault] = useState<string>()
  const change = (part: Partial<Criteria>) => {
    setFault(undefined)
    setDraft((old) => ({ ...old, ...part }))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!hasCriteria(draft)) return setFault(t('trace.recall.criteria.missing'))
    if (draft.from !== undefined && draft.to !== undefined && draft.to < draft.from) {
      return setFault(t('trace.recall.criteria.order.wrong'))
    }
    onApply(draft)
    onClose()
  }
  return (
    <Dialog onClose={onClose} title={t('trace.recall.criteria.title')}>
      <form className="tw-recall-form" onSubmit={submit}>
        <p>{t('trace.recall.criteria.text')}</p>
        {can('product:catalogue:read') && (
          <ProductPick value={draft.product} onChange={(product) => change({ product })} />
        )}
        <TextInput
          label={t('trace.recall.criteria.code')}
          description={t('trace.recall.criteria.code.hint')}
          value={draft.code ?? ''}
          onChange={(event) => change({ code: event.currentTarget.value.trim() || undefined })}
          autoComplete="off"
          spellCheck={false}
        />
        {can('production:work-order:read') && <OrderPick draft={draft} onChange={(order) => change({ order })} />}
        {draft.batch === undefined && can('serial:read') && <Days draft={draft} change={change} />}
        {fault !== undefined && (
          <p className="tw-recall-fault" role="alert">
            {fault}
          </p>
        )}
        <div className="tw-recall-buttons">
          <Button variant="default" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button type="submit">{t('trace.recall.criteria.apply')}</Button>
        </div>
      </form>
    </Dialog>
  )
}

export function ProductPick(props: {
  value: string | undefined
  onChange: (value: string | undefined) => void
  label?: string
}) {
  const t = useText()
  const name = useQuery(productNameQuery(props.value, true))
  return (
    <PickOne
      label={props.label ?? t('trace.recall.criteria.product')}
      value={props.value}
      onChange={props.onChange}
      find={productsQuery}
      name={name.data}
    />
  )
}

function OrderPick({ draft, onChange }: { draft: Criteria; onChange: (value: string | undefined) => void }) {
  const t = useText()
  const name = useQuery(orderNameQuery(draft.order, true))
  return (
    <PickOne
      label={t('trace.recall.criteria.order')}
      value={draft.order}
      onChange={onChange}
      find={(words) => ordersQuery(words, draft.product)}
      name={name.data}
    />
  )
}

function Days({ draft, change }: { draft: Criteria; change: (part: Partial<Criteria>) => void }) {
  const t = useText()
  return (
    <>
      <div className="tw-recall-days">
        <TextInput
          type="date"
          label={t('trace.recall.criteria.from')}
          value={draft.from ?? ''}
          onChange={(event) => change({ from: event.currentTarget.value || undefined })}
        />
        <TextInput
          type="date"
          label={t('trace.recall.criteria.to')}
          value={draft.to ?? ''}
          onChange={(event) => change({ to: event.currentTarget.value || undefined })}
        />
      </div>
      <Select
        label={t('trace.recall.criteria.day')}
        allowDeselect={false}
        value={draft.day ?? 'created'}
        onChange={(value) => change({ day: value === 'released' ? 'released' : undefined })}
        data={[
          { value: 'created', label: t('trace.recall.criteria.day.created') },
          { value: 'released', label: t('trace.recall.criteria.day.released') },
        ]}
      />
    </>
  )
}
