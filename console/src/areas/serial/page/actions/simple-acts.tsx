import { Checkbox, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useText } from '@/i18n'
import { fieldPath } from '@/ui/fault-paths'
import type { UnitView } from '../view'
import { ActDialog, type SentEvent } from './act-dialog'

export interface ActProps {
  readonly view: UnitView
  readonly onClose: () => void
}

function nameOf(view: UnitView): string {
  return view.unit.data?.code ?? ''
}

/** Scrapping needs a reason; what is inside can be used again or goes with it. */
export function ScrapDialog({ view, onClose }: ActProps) {
  const t = useText()
  const [reason, setReason] = useState('')
  const [free, setFree] = useState(false)
  const code = nameOf(view)
  const hasParts = (view.node?.children ?? []).some(({ expected, replaced }) => !expected && !replaced)
  const event = (): SentEvent => ({
    event_type: 'SERIAL_SCRAPPED',
    serial_key: view.serialKey,
    reason: reason.trim(),
    release_components: free,
  })
  return (
    <ActDialog
      title={t('serial.scrap.title', { code })}
      action={t('serial.act.scrap')}
      danger
      signed={t('serial.scrap.signed', { code, reason: reason.trim() })}
      ready={reason.trim() !== ''}
      event={event}
      onClose={onClose}
    >
      <div className="tw-dialog-text">{t('serial.scrap.text')}</div>
      <div {...fieldPath('reason')}>
        <Textarea
          label={t('serial.reason')}
          value={reason}
          onChange={(change) => setReason(change.currentTarget.value)}
          maxLength={500}
          autosize
          minRows={2}
          data-autofocus
        />
      </div>
      {hasParts && (
        <Checkbox
          label={t('serial.scrap.free')}
          checked={free}
          onChange={(change) => setFree(change.currentTarget.checked)}
        />
      )}
    </ActDialog>
  )
}

interface PlainDialogProps extends ActProps {
  readonly kind: 'unscrap' | 'unrelease' | 'release'
}

/** Acts that need nothing but the signature. */
export function PlainDialog({ kind, view, onClose }: PlainDialogProps) {
  const t = useText()
  const code = nameOf(view)
  const event = (): SentEvent =>
    kind === 'release'
      ? { event_type: 'SERIAL_RELEASED', serial_key: view.serialKey }
      : {
          event_type: 'SERIAL_UPDATED',
          serial_key: view.serialKey,
          remove_data_from_phases: [],
          unrelease: kind === 'unrelease',
          unscrap: kind === 'unscrap',
        }
  return (
    <ActDialog
      title={t(`serial.${kind}.title`, { code })}
      action={t(`serial.act.${kind}`)}
      signed={t(`serial.${kind}.title`, { code })}
      event={event}
      onClose={onClose}
    >
      <div className="tw-dialog-text">{t(`serial.${kind}.text`)}</div>
    </ActDialog>
  )
}

/** Takes the unit out of the one that contains it. */
export function TakeOutDialog({ view, onClose }: ActProps) {
  const t = useText()
  const [reason, setReason] = useState('')
  const [scrap, setScrap] = useState(false)
  const code = nameOf(view)
  const parent = view.around.at(-1)
  const parentCode = parent?.serial_code ?? parent?.product_code ?? ''
  const event = (): SentEvent | undefined => {
    if (!parent) return undefined
    const where = parent.serial_key ? { parent_serial_key: parent.serial_key } : { batch_key: parent.batch_key ?? null }
    return {
      event_type: 'SERIAL_UNLINKED',
      child_serial_key: view.serialKey,
      ...where,
      reason: reason.trim() || null,
      process_inventory: true,
      scrap,
    }
  }
  return (
    <ActDialog
      title={t('serial.takeOut.title', { code, parent: parentCode })}
      action={t('serial.act.takeOut')}
      danger={scrap}
      signed={t('serial.takeOut.title', { code, parent: parentCode })}
      ready={parent !== undefined && (!scrap || reason.trim() !== '')}
      event={event}
      onClose={onClose}
    >
      <div className="tw-dialog-text">{t('serial.takeOut.text')}</div>
      <Textarea
        label={t('serial.reason')}
        value={reason}
        onChange={(change) => setReason(change.currentTarget.value)}
        maxLength={500}
        autosize
        minRows={2}
        data-autofocus
      />
      <Checkbox
        label={t('serial.takeOut.scrap')}
        checked={scrap}
        onChange={(change) => setScrap(change.currentTarget.checked)}
      />
    </ActDialog>
  )
}

/** Gives the unit a code, or another one. */
export function CodeDialog({ view, onClose }: ActProps) {
  const t = useText()
  const before = view.unit.data?.code ?? ''
  const [code, setCode] = useState(before)
  const wanted = code.trim().toUpperCase()
  const event = (): SentEvent => ({
    event_type: 'SERIAL_UPDATED',
    serial_key: view.serialKey,
    serial_code: wanted,
    remove_data_from_phases: [],
    unrelease: false,
    unscrap: false,
  })
  return (
    <ActDialog
      title={before ? t('serial.code.change', { code: before }) : t('serial.code.give')}
      action={t('serial.act.code')}
      ready={wanted !== '' && wanted !== before}
      event={event}
      onClose={onClose}
    >
      <div {...fieldPath('serial_code')}>
        <TextInput
          label={t('serial.code.label')}
          description={t('serial.code.text')}
          value={code}
          onChange={(change) => setCode(change.currentTarget.value)}
          maxLength={128}
          autoComplete="off"
          spellCheck={false}
          data-scan="type"
          data-autofocus
        />
      </div>
    </ActDialog>
  )
}
