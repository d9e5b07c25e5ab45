import { Button, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useText } from '@/i18n'
import { useSession } from '@/session'
import { Faults } from '@/ui/Faults'
import { faultAt, fieldPath, type ShownFault } from '@/ui/fault-paths'
import { changeOrder, useAct } from '../mutations'
import { PositionPicker } from '../new-order/picker'
import type { Order } from '../orders'
import { changesOf, type Edited, editedOf, refusalsOf, wrongIn } from './edit'
import '../new-order/new-order.css'
import { Dialog } from '@/ui/Dialog'

/** Dates, project, notes and where the output goes. */
export function EditDialog({ order, onClose }: { order: Order; onClose: () => void }) {
  const t = useText()
  const { can } = useSession()
  const { act, busy, failure } = useAct()
  const [before] = useState(() => editedOf(order))
  const [edited, setEdited] = useState(before)
  const [wrong, setWrong] = useState<readonly ShownFault[]>([])
  const faults = wrong.length > 0 ? wrong : failure ? refusalsOf(failure) : []
  const change = (changes: Partial<Edited>) => setEdited((old) => ({ ...old, ...changes }))
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const found = wrongIn(edited).map(({ path, text }) => ({ path, message: t(text) }))
    setWrong(found)
    const changes = changesOf(before, edited)
    if (found.length > 0 || busy) return
    const nothing = Object.keys(changes).length === 0
    if (nothing || (await act((sending) => changeOrder(sending, order._key, changes)))) onClose()
  }
  const message = failure?.offline ? t('production.new.offline') : failure?.message
  const names: Readonly<Record<string, string>> = {
    new_due_date: t('production.new.due'),
    new_from_date: t('production.new.from'),
    new_project_code: t('production.new.project'),
    new_output_position_key: t('production.new.position'),
    notes: t('production.new.notes'),
  }
  return (
    <Dialog onClose={onClose} size={560} title={t('production.edit.title', { code: order.wo_code })}>
      <form className="tw-new-order" onSubmit={submit} noValidate>
        <Faults faults={faults} message={faults.length === 0 ? message : undefined} nameOf={(path) => names[path]} />
        <div className="tw-new-order-pair">
          <TextInput
            {...fieldPath('new_due_date')}
            type="date"
            label={t('production.new.due')}
            value={edited.due}
            onChange={(event) => change({ due: event.currentTarget.value })}
            error={faultAt(faults, 'new_due_date')}
            data-autofocus
          />
          <TextInput
            {...fieldPath('new_from_date')}
            type="date"
            label={t('production.new.from')}
            value={edited.from}
            onChange={(event) => change({ from: event.currentTarget.value })}
            error={faultAt(faults, 'new_from_date')}
          />
          <TextInput
            {...fieldPath('new_project_code')}
            label={t('production.new.project')}
            value={edited.project}
            onChange={(event) => change({ project: event.currentTarget.value })}
            error={faultAt(faults, 'new_project_code')}
          />
          {can('inventory:position:read') && (
            <PositionPicker
              path="new_output_position_key"
              value={edited.position}
              onChange={(position) => change({ position })}
              error={faultAt(faults, 'new_output_position_key')}
            />
          )}
        </div>
        <Textarea
          {...fieldPath('notes')}
          label={t('production.new.notes')}
          autosize
          minRows={3}
          maxRows={10}
          value={edited.notes}
          onChange={(event) => change({ notes: event.currentTarget.value })}
          error={faultAt(faults, 'notes')}
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
