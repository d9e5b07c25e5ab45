import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { compare } from '@/api/decimal'
import { useFormats, useText } from '@/i18n'
import { play } from '@/scan'
import { Icon } from '@/ui/icons'
import { markQuantity, markUnit, passes } from '../logic/scrap'
import { reasonsQuery } from '../queries'
import { unitName } from '../use-bench-scan'
import type { Flow } from '../use-flow'
import { Amount, useAmount } from './amount'
import { Dialog } from './dialog'

interface Props {
  readonly flow: Flow
  readonly opened: boolean
  readonly onClose: () => void
}

const SUGGESTED = 6

export function ScrapDialog({ flow, opened, onClose }: Props) {
  const t = useText()
  return (
    <Dialog opened={opened} onClose={onClose} title={t('panel.scrap.title')}>
      {opened && <ScrapForm flow={flow} onClose={onClose} />}
    </Dialog>
  )
}

/** Which one, and why: a tap on a reason that was given before is enough. */
function ScrapForm({ flow, onClose }: Omit<Props, 'opened'>) {
  const t = useText()
  const formats = useFormats()
  const { work, bench } = flow
  const { draft, units, batch } = work
  const good = units?.filter((unit) => !draft.marks.some((mark) => mark.unitKey === unit.serial_key)) ?? null
  const [unitKey, setUnit] = useState(good && good.length === 1 ? (good[0]?.serial_key ?? null) : bench.inHand)
  const [amount, setAmount] = useState('1')
  const [reason, setReason] = useState('')
  const [asked, setAsked] = useState(false)
  const known = useQuery(reasonsQuery(work.job.product_key))
  const reasons = [...new Set(known.data ?? [])].slice(0, SUGGESTED)
  const quantity = useAmount(amount)
  const most = passes(batch?.qt_total ?? 0, draft.marks)
  const fits = quantity !== null && compare(quantity, 0) > 0 && compare(quantity, most) <= 0
  const mark = (why: string) => {
    setAsked(true)
    if (why.trim() === '' || (good === null ? !fits : unitKey === null)) return
    work.change(({ marks }) => ({
      marks: unitKey !== null && good ? markUnit(marks, unitKey, why) : markQuantity(marks, quantity ?? 0, why),
    }))
    play('neutral')
    onClose()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mark(reason)
  }
  return (
    <form onSubmit={submit}>
      {good === null ? (
        <Amount
          label={t('panel.scrap.howMany')}
          value={amount}
          onChange={setAmount}
          error={asked && !fits ? t('panel.scrap.badQt', { max: formats.decimal(most) }) : undefined}
        />
      ) : (
        good.length > 1 && (
          <fieldset>
            <legend>{t('panel.scrap.which')}</legend>
            <div className="pn-tiles">
              {good.map((unit) => (
                <button
                  type="button"
                  key={unit.serial_key}
                  aria-pressed={unitKey === unit.serial_key}
                  onClick={() => setUnit(unit.serial_key)}
                >
                  <span className="tw-code">{unitName(t, units, unit.serial_key)}</span>
                </button>
              ))}
            </div>
            {asked && unitKey === null && <p className="pn-fault">{t('panel.scrap.needUnit')}</p>}
          </fieldset>
        )
      )}
      {reasons.length > 0 && (
        <fieldset>
          <legend>{t('panel.scrap.why')}</legend>
          <div className="pn-tiles">
            {reasons.map((one) => (
              <button type="button" key={one} onClick={() => mark(one)}>
                {one}
              </button>
            ))}
          </div>
        </fieldset>
      )}
      <div className="pn-other">
        <TextInput
          label={reasons.length > 0 ? t('panel.scrap.other') : t('panel.scrap.why')}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          maxLength={500}
          error={asked && reason.trim() === '' ? t('panel.scrap.needReason') : undefined}
        />
        <Button type="submit" color="red" leftSection={<Icon name="scrapped" size={22} />}>
          {t('panel.scrap.mark')}
        </Button>
      </div>
      <p className="pn-place">{t('panel.scrap.note')}</p>
    </form>
  )
}
