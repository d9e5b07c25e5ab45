import { Button } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { add, compare, equals, subtract } from '@/api/decimal'
import { clock } from '@/clock'
import { useFormats, useText } from '@/i18n'
import { Icon } from '@/ui/icons'
import { batchChanged } from '../logic/events'
import { unmarkAt } from '../logic/scrap'
import type { Flow } from '../use-flow'
import { useSend } from '../use-send'
import { Amount, useAmount } from './amount'
import { Dialog } from './dialog'

/** How much the batch is, and a way to change that. Units of later phases are named, so there it stays as it was taken. */
export function Size({ flow }: { flow: Flow }) {
  const t = useText()
  const formats = useFormats()
  const [opened, setOpened] = useState(false)
  const { job, batch, units, mine, supervisor, waiting } = flow.work
  if (!batch) return null
  const mayChange = job.active && (mine || supervisor) && !waiting && (units === null || job.first_phase)
  const count = formats.decimal(batch.qt_total)
  return (
    <p className="pn-size">
      <span>{t('panel.batch.of', { count })}</span>
      {mayChange && (
        <button type="button" onClick={() => setOpened(true)}>
          {t('panel.batch.change')}
        </button>
      )}
      <Dialog opened={opened} onClose={() => setOpened(false)} title={t('panel.size.title')}>
        {opened && <SizeForm flow={flow} onClose={() => setOpened(false)} />}
      </Dialog>
    </p>
  )
}

/** What was marked as scrap by number, with a way back. Units carry their mark themselves. */
export function Marked({ flow: { work } }: { flow: Flow }) {
  const t = useText()
  const formats = useFormats()
  const { marks } = work.draft
  if (work.units !== null || marks.length === 0) return null
  return (
    <ul className="pn-marked">
      {marks.map(({ quantity, reason }, at) => (
        <li key={`${quantity} ${reason}`}>
          <Icon name="scrapped" size={22} />
          <span>{t('panel.scrap.markedQt', { count: formats.decimal(quantity), reason })}</span>
          <button type="button" onClick={() => work.change((draft) => ({ marks: unmarkAt(draft.marks, at) }))}>
            {t('panel.scrap.undo')}
          </button>
        </li>
      ))}
    </ul>
  )
}

function SizeForm({ flow, onClose }: { flow: Flow; onClose: () => void }) {
  const t = useText()
  const formats = useFormats()
  const { job, batch, units } = flow.work
  const now = batch?.qt_total ?? 0
  const [typed, setTyped] = useState(formats.decimal(now))
  const [asked, setAsked] = useState(false)
  const send = useSend(job._key)
  const size = useAmount(typed)
  const most = subtract(subtract(job.qt_planned, job.qt_completed), job.qt_scrap)
  const whole = units !== null
  const fits = size !== null && compare(size, 0) > 0 && compare(size, most) <= 0 && !(whole && size.includes('.'))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAsked(true)
    if (!fits || size === null) return
    onClose()
    if (equals(size, now)) return
    const label = t('panel.sent.size', { order: job.wo_code, phase: job.phase_alias })
    void send(batchChanged(job._key, add(size), [], clock.stamp(job._key, batch?.start)), label)
  }
  const limit = { count: formats.decimal(most) }
  const error = whole ? t('panel.size.whole', limit) : t('panel.size.bad', limit)
  return (
    <form onSubmit={submit}>
      <Amount
        label={t('panel.size.how')}
        hint={t('panel.size.most', limit)}
        value={typed}
        onChange={setTyped}
        error={asked && !fits ? error : undefined}
      />
      <Button type="submit">{t('panel.size.save')}</Button>
    </form>
  )
}
