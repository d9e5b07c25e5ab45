import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { type ApiFailure, api, failureOf, idempotent, newIdempotencyKey, type Schemas } from '@/api'
import { useText } from '@/i18n'
import { focusScan } from '@/scan'
import { fullName, useSession } from '@/session'
import { Dialog } from '@/ui/Dialog'
import { Faults } from '@/ui/Faults'
import { Reauth } from '@/ui/Reauth'

export type SentEvent = Schemas['SentEvent']

interface ActDialogProps {
  /** What will be done, to what. */
  readonly title: string
  /** The word on the button: the deed itself. */
  readonly action: string
  readonly danger?: boolean
  /** What is signed, where the password is asked for again. */
  readonly signed?: string | undefined
  /** Undefined while something is missing or wrong. */
  readonly event: () => SentEvent | undefined
  readonly ready?: boolean
  readonly onClose: () => void
  /** Faults of single fields, for those who show them beside the fields. */
  readonly onRefused?: (failure: ApiFailure) => void
  readonly children: ReactNode
}

/** Sends an event, and reads everything about units again. The same act keeps its key, so that sending it again does it only once. */
export function useSend(onDone: () => void, onRefused?: (failure: ApiFailure) => void) {
  const client = useQueryClient()
  const [key, setKey] = useState(newIdempotencyKey)
  return useMutation({
    mutationFn: (event: SentEvent) => api.POST('/event', { params: { header: idempotent(key) }, body: event }),
    onSuccess: async () => {
      onDone()
      focusScan()
      await Promise.all([
        client.invalidateQueries({ queryKey: ['serial'] }),
        client.invalidateQueries({ queryKey: ['inventory'] }),
      ])
    },
    onError: (error) => {
      const failure = failureOf(error)
      // What was refused may be sent again in another form; what got no answer is sent again as it was.
      if (!failure.temporary) setKey(newIdempotencyKey())
      onRefused?.(failure)
    },
  })
}

/** A dialog that does one thing to the unit. What was entered stays when the service refuses it or the line is cut. */
export function ActDialog(props: ActDialogProps) {
  const { title, action, danger = false, signed, event, ready = true, onClose, children } = props
  const t = useText()
  const { user_key, ...person } = useSession()
  const [signing, setSigning] = useState<SentEvent>()
  const sending = useSend(onClose, props.onRefused)
  const failure = sending.error ? failureOf(sending.error) : undefined
  const submit = (form: FormEvent) => {
    form.preventDefault()
    const made = event()
    if (made === undefined || sending.isPending) return
    if (signed === undefined) sending.mutate(made)
    else setSigning(made)
  }
  const verified = () => {
    if (signing) sending.mutate(signing)
    setSigning(undefined)
  }
  return (
    <>
      <Dialog onClose={onClose} title={title}>
        <form className="tw-dialog" onSubmit={submit} noValidate>
          <Faults
            faults={failure?.faults ?? []}
            message={failure?.offline ? t('serial.record.noAnswer') : failure?.message}
          />
          {children}
          <div className="tw-dialog-buttons">
            <Button variant="default" onClick={onClose}>
              {t('ui.cancel')}
            </Button>
            <Button type="submit" color={danger ? 'red' : undefined} loading={sending.isPending} disabled={!ready}>
              {action}
            </Button>
          </div>
        </form>
      </Dialog>
      {signing && (
        <Reauth
          opened
          onClose={() => setSigning(undefined)}
          userKey={user_key}
          name={fullName(person)}
          action={action}
          onVerified={verified}
        >
          <p>{signed}</p>
        </Reauth>
      )}
    </>
  )
}
