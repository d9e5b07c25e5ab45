import { useFormats, useText } from '@/i18n'
import { Icon } from '@/ui/icons'
import { wholeUnits } from '../logic/components'
import { unitPlace } from '../logic/unit-scan'
import { useBeginScan } from '../use-begin-scan'
import type { Flow } from '../use-flow'
import { TypeCode } from './type-code'

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
          {t('panel.begin.left', { count: formats.decimal(begin.toCome) })}
        </p>
      )}
      {begin.kind === 'waiting' && !starved && <WaitingUnits flow={flow} />}
      {(begin.kind === 'labels' || begin.kind === 'labels-must') && !starved && <Labels flow={flow} />}
      {begin.kind !== 'none' && !starved && <TypeCode />}
    </section>
  )
}
