import { useMemo, useState } from 'react'
import type { ApiFailure } from '@/api'
import { useText } from '@/i18n'
import { type Drafts, draftOf, type Field, FormFields, serverFaults, useFormReader } from '@/ui/FormFields'
import { formFieldsOf } from '../model/form'
import { storeFiles } from '../store-files'
import { ActDialog, type SentEvent } from './act-dialog'
import type { ActProps } from './simple-acts'

interface ValuesDialogProps extends ActProps {
  /** Only this field. */
  readonly field?: string | undefined
}

/** Enters or corrects values of the unit. Only what was changed is sent. */
export function ValuesDialog({ view, field, onClose }: ValuesDialogProps) {
  const t = useText()
  const fields = useMemo<Field[]>(
    () => formFieldsOf(view.unit.data?.data ?? [], view.record.data?.acceptance_records.fields ?? [], field),
    [view.unit.data, view.record.data, field],
  )
  const reader = useFormReader(fields)
  const first = useMemo(() => {
    const values = new Map((view.unit.data?.data ?? []).map((entry) => [entry.form_field_key, entry.value]))
    return Object.fromEntries(fields.map((one) => [one.key, draftOf(one, values.get(one.key), reader.separators)]))
  }, [fields, view.unit.data, reader])
  const [drafts, setDrafts] = useState<Drafts>({})
  const [refused, setRefused] = useState<ApiFailure>()
  const [tried, setTried] = useState(false)
  const changed = fields.filter(({ key }) => key in drafts)
  const faults = new Map([...reader.faults({ ...first, ...drafts })].filter(([key]) => key in drafts))
  const event = (): SentEvent | undefined => {
    setTried(true)
    setRefused(undefined)
    if (faults.size > 0) return undefined
    const keys = new Set(changed.map(({ key }) => key))
    return {
      event_type: 'SERIAL_UPDATED',
      serial_key: view.serialKey,
      serial_data: reader.data({ ...first, ...drafts }).filter(({ form_field_key: key }) => keys.has(key)),
      remove_data_from_phases: [],
      unrelease: false,
      unscrap: false,
    }
  }
  const shown = refused ? serverFaults(t, refused.data.fields) : tried ? faults : undefined
  return (
    <ActDialog
      title={t('serial.values.title', { code: view.unit.data?.code ?? '' })}
      action={t('serial.values.save')}
      ready={changed.length > 0}
      event={event}
      onRefused={setRefused}
      onClose={onClose}
    >
      <FormFields
        fields={fields}
        drafts={{ ...first, ...drafts }}
        onChange={(key, draft) => setDrafts((old) => ({ ...old, [key]: draft }))}
        {...(shown ? { faults: shown } : {})}
        upload={(files, { key }) => storeFiles(view.serialKey, key, files)}
      />
    </ActDialog>
  )
}
