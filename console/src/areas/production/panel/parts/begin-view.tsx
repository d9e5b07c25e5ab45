import { failureOf } from '@/api'
import { useFormats, useText } from '@/i18n'
import { type ScanAnswer, type Scanned, useScan } from '@/scan'
import { Icon } from '@/ui/icons'
import { wholeUnits } from '../logic/components'
import { codeIn } from '../logic/scanned'
import { pickLabel, pickUnit, unitPlace } from '../logic/unit-scan'
import { isFree } from '../service'
import { useTake } from '../take'
import type { Flow } from '../use-flow'
import { TypeCode } from './type-code'

/** Scans before a batch begins: units that wait, labels for new ones, or another order. */
function useBeginScan({ begin, work }: Flow): void {
  const t = useText()
  const take = useTake()
  const most = wholeUnits(begin.remaining)

  const unit = async (code: string, scan: Scanned): Promise<ScanAnswer> => {
    const pick = pickUnit(code, begin.waiting, begin.chosen, most)
    if (pick.kind === 'notWaiting')
      return (await take(scan)) ?? { ok: false, say: t('panel.scan.notWaiting', { code }) }
    if (pick.kind === 'twice') return { ok: false, say: t('panel.scan.twice', { code }) }
    if (pick.kind === 'tooMany') return { ok: false, say: t('panel.scan.tooMany', { count: most }) }
    begin.choose([...begin.chosen, pick.unit.serial_key])
    return { ok: true, say: t('panel.scan.taken', { code }) }
  }

  const label = async (code: string): Promise<ScanAnswer> => {
    const pick = pickLabel(code, begin.labels, most)
    if (pick.kind === 'twice') return { ok: false, say: t('panel.scan.twice', { code }) }
    if (pick.kind === 'tooMany') return { ok: false, say: t('panel.scan.tooMany', { count: most }) }
    if (!(await isFree(pick.code, work.job.product_key))) return { ok: false, say: t('panel.label.taken', { code }) }
    begin.label([...begin.labels, pick.code])
    return { ok: true, say: t('panel.scan.taken', { code: pick.code }) }
  }

  const read = async (scan: Scanned): Promise<ScanAnswer> => {
    const code = codeIn(scan)
    if (code === null || begin.kind === 'none') return take(scan)
    if (begin.kind === 'waiting') return unit(code, scan)
    return (await take(scan)) ?? label(code)
  }

  useScan(
    async (scan) => {
      try {
        return await read(scan)
      } catch (error) {
        const failure = failureOf(error)
        return { ok: false, say: failure.offline ? t('panel.scan.offline') : failure.message }
      }
    },
    { priority: 10 },
  )
}

/** Units that wait in front of the phase: those that are taken are marked. */
function WaitingUnits({ flow: { begin } }: { flow: Flow }) {
  const t = useText()
  const { waiting, chosen, choose } = begin
  const most = wholeUnits(begin.remaining)
  const all = waiting.slice(0, most).map((unit) => unit.serial_key)
  const toggle = (key: string) => choose(chosen.includes(key) ? chosen.filter((one) => one !== key) : [...chosen, key])
  return (
    <>
      <div className="pn-pick-head">
        <h2>{t('panel.begin.waiting')}</h2>
        <button type="button" onClick={() => choose(chosen.length === all.length ? [] : all)}>
          {chosen.length === all.length ? t('panel.begin.none') : t('panel.begin.all', { count: all.length })}
        </button>
      </div>
      <ul className="pn-pick">
        {waiting.map((unit) => (
          <li key={unit.serial_key}>
            <button
              type="button"
              aria-pressed={chosen.includes(unit.serial_key)}
              onClick={() => toggle(unit.serial_key)}
            >
              {chosen.includes(unit.serial_key) && <Icon name="check" size={22} />}
              <span className="tw-code">
                {unit.serial_code ?? t('panel.unit.place', { number: unitPlace(waiting, unit.serial_key) })}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Labels of units that the first phase makes. */
function Labels({ flow: { begin } }: { flow: Flow }) {
  const t = useText()
  return (
    <>
      <p>{begin.kind === 'labels-must' ? t('panel.begin.labels') : t('panel.begin.counter')}</p>
      {begin.labels.length > 0 && (
        <>
          <h2>{t('panel.begin.scanned', { count: begin.labels.length })}</h2>
          <ul className="pn-pick">
            {begin.labels.map((code) => (
              <li key={code}>
                <button
                  type="button"
                  aria-label={t('panel.begin.remove', { code })}
                  onClick={() => begin.label(begin.labels.filter((one) => one !== code))}
                >
                  <span className="tw-code">{code}</span>
                  <Icon name="cross" size={20} />
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

/** Before a batch begins. */
export function BeginView({ flow }: { flow: Flow }) {
  const t = useText()
  const formats = useFormats()
  const { begin, work } = flow
  useBeginScan(flow)
  const starved = !begin.supply && !begin.loading
  return (
    <section className="pn-step" aria-labelledby="pn-step">
      <h1 id="pn-step">
        {starved
          ? t('panel.begin.noSupply')
          : work.job.stage === 'started'
            ? t('panel.begin.next')
            : t('panel.begin.title')}
      </h1>
      {starved ? (
        <p>{t('panel.begin.noSupplyText')}</p>
      ) : (
        <p className="pn-lead">
          {begin.kind !== 'waiting' && begin.labels.length === 0 && (
            <>{t('panel.begin.size', { count: formats.decimal(begin.size) })} · </>
          )}
          {t('panel.begin.left', { count: formats.decimal(begin.remaining) })}
        </p>
      )}
      {begin.kind === 'waiting' && !starved && <WaitingUnits flow={flow} />}
      {(begin.kind === 'labels' || begin.kind === 'labels-must') && !starved && <Labels flow={flow} />}
      {begin.kind !== 'none' && !starved && <TypeCode />}
    </section>
  )
}
