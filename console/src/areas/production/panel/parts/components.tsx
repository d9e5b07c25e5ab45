import { useQueryClient } from '@tanstack/react-query'
import { failureOf } from '@/api'
import { useUnits } from '@/areas/product/units'
import { useRich, useText } from '@/i18n'
import { useScanner } from '@/scan'
import { Code } from '@/ui/Code'
import { Icon } from '@/ui/icons'
import { Quantity } from '@/ui/Quantity'
import { PartsMoved, removePart } from '../bench'
import { looseOf, missingIn, nextSlot, type Slot } from '../logic/components'
import { unmark } from '../logic/scrap'
import type { Declared } from '../model'
import { type LastScan, unitName } from '../use-bench-scan'
import type { Flow } from '../use-flow'
import { TypeCode } from './type-code'

/** What the last scan was: green or red, with its words. Screen readers have heard it already. */
function Last({ last: { answer, faded } }: { last: LastScan }) {
  return (
    <p className="pn-last" data-ok={answer.ok} data-faded={faded || undefined}>
      <Icon name={answer.ok ? 'done' : 'critical'} size={24} />
      <span>{answer.text}</span>
    </p>
  )
}

/** What to scan next, and what the last scan was. */
function NextScan({ flow, last }: { flow: Flow; last: LastScan | null }) {
  const t = useText()
  const rich = useRich()
  const { bench, work } = flow
  const next = nextSlot(bench.slots, bench.inHand)
  const several = (work.units?.length ?? 0) > 1
  return (
    <div className="pn-next" data-done={next === null || undefined}>
      <div className="pn-next-what">
        <Icon name={next ? 'scan' : 'done'} size={44} />
        {next ? (
          <div>
            <p className="pn-place">
              <span>
                {t('panel.components.next')}
                {several && (
                  <>
                    {' '}
                    {rich('panel.components.for', {
                      unit: <span className="pn-whole">{unitName(t, work.units, next.unitKey)}</span>,
                    })}
                  </>
                )}
              </span>
            </p>
            <p className="pn-next-code">{next.need.code}</p>
            {next.need.description && <p>{next.need.description}</p>}
          </div>
        ) : (
          <p className="pn-next-code">{t('panel.components.all')}</p>
        )}
        {next && <TypeCode />}
      </div>
      {last && <Last last={last} />}
    </div>
  )
}

function Part({ slot, part, flow }: { slot: Slot; part: Declared; flow: Flow }) {
  const t = useText()
  const client = useQueryClient()
  const { signal } = useScanner()
  const { job, batch, mine, supervisor } = flow.work
  const remove = async () => {
    if (!batch) return
    try {
      await removePart(client, job._key, batch._key, part._key)
    } catch (error) {
      const failure = failureOf(error)
      const refused = failure.offline ? t('panel.scan.offline') : failure.message
      signal({ tone: 'bad', text: error instanceof PartsMoved ? t('panel.scan.moved') : refused })
    }
  }
  const code = part.code ?? '–'
  return (
    <li className="pn-part">
      <Icon name="done" size={20} />
      <span className="pn-part-names">
        <b className="tw-code">{slot.need.code}</b>
        <Code bare>{code}</Code>
      </span>
      {job.active && (mine || supervisor) && (
        <button type="button" aria-label={t('panel.components.remove', { code })} onClick={remove}>
          <Icon name="cross" size={20} />
        </button>
      )}
    </li>
  )
}

function Lacking({ slot, next }: { slot: Slot; next: boolean }) {
  const t = useText()
  return (
    <li className="pn-part" data-missing data-next={next || undefined}>
      <Icon name={next ? 'scan' : 'todo'} size={20} />
      <span className="pn-part-names">
        <Code bare>{slot.need.code}</Code>
        <span className="pn-lack">
          {slot.missing > 1 ? `${slot.missing} × ` : ''}
          {slot.need.description}
        </span>
        <span className="tw-hidden">{t('panel.components.missing')}</span>
      </span>
    </li>
  )
}

function Parts({ slots, flow }: { slots: readonly Slot[]; flow: Flow }) {
  const next = nextSlot(flow.bench.slots, flow.bench.inHand)
  return (
    <ul className="pn-parts">
      {slots.flatMap((slot) => [
        ...slot.filled.map((part) => <Part key={part._key} slot={slot} part={part} flow={flow} />),
        ...(slot.missing > 0
          ? [<Lacking key={`${slot.need.componentKey} lacks`} slot={slot} next={slot === next} />]
          : []),
      ])}
    </ul>
  )
}

function UnitRow({ flow, unitKey }: { flow: Flow; unitKey: string }) {
  const t = useText()
  const { bench, work, takeInHand } = flow
  const slots = bench.slots.filter((slot) => slot.unitKey === unitKey)
  const mark = work.draft.marks.find((one) => one.unitKey === unitKey)
  const inHand = bench.inHand === unitKey && !mark && slots.length > 0
  const name = unitName(t, work.units, unitKey)
  const total = slots.reduce((sum, { need }) => sum + need.count, 0)
  const done = total - missingIn(slots)
  return (
    <li className="pn-unit" data-in-hand={inHand || undefined} data-scrap={mark !== undefined || undefined}>
      <div className="pn-unit-head">
        {slots.length > 0 && !mark ? (
          <button
            type="button"
            aria-pressed={inHand}
            title={t('panel.components.take', { unit: name })}
            onClick={() => takeInHand(unitKey)}
          >
            <span className="tw-code">{name}</span>{' '}
            <span className="pn-unit-count" data-full={done === total || undefined}>
              {done === total && <Icon name="done" size={20} />}
              {t('panel.components.count', { done, total })}
            </span>
          </button>
        ) : (
          <span className="tw-code">{name}</span>
        )}
        {mark && (
          <>
            <span className="pn-scrap-words">{t('panel.scrap.marked', { reason: mark.reason })}</span>
            <button type="button" onClick={() => work.change(({ marks }) => ({ marks: unmark(marks, unitKey) }))}>
              {t('panel.scrap.undo')}
            </button>
          </>
        )}
      </div>
      {inHand && <Parts slots={slots} flow={flow} />}
    </li>
  )
}

function Loose({ flow: { work, bench } }: { flow: Flow }) {
  const t = useText()
  const loose = looseOf(work.job.wo_bom, work.job.active_batch_qt)
  const units = useUnits(loose.map(({ key }) => key))
  if (loose.length === 0) return null
  return (
    <details className="pn-loose" open={bench.slots.length === 0}>
      <summary>{t('panel.components.loose')}</summary>
      <ul>
        {loose.map(({ key, code, description, quantity }) => (
          <li key={code}>
            <b>
              <Quantity value={quantity} unit={units.get(key)} />
            </b>{' '}
            <Code bare>{code}</Code> {description}
          </li>
        ))}
      </ul>
    </details>
  )
}

/** How many units of a batch are listed at once; those in hand come first. */
const LISTED = 40

/** Beside the step: what to scan, and what is in which unit. */
export function Components({ flow, last }: { flow: Flow; last: LastScan | null }) {
  const t = useText()
  const { work, bench } = flow
  const { units } = work
  const hasSlots = bench.slots.length > 0
  const optional = hasSlots && work.job.traceability_level !== 'complete'
  const listed = units && units.length > LISTED ? units.filter((unit) => unit.serial_key === bench.inHand) : units
  return (
    <aside className="pn-side" aria-label={hasSlots ? t('panel.components') : t('panel.units')}>
      {hasSlots && <NextScan flow={flow} last={last} />}
      {!hasSlots && last && <Last last={last} />}
      {optional && <p className="pn-place">{t('panel.components.optional')}</p>}
      {units === null && hasSlots && <Parts slots={bench.slots} flow={flow} />}
      {listed && (
        <ul className="pn-units">
          {listed.slice(0, LISTED).map((unit) => (
            <UnitRow key={unit.serial_key} flow={flow} unitKey={unit.serial_key} />
          ))}
        </ul>
      )}
      <Loose flow={flow} />
    </aside>
  )
}
