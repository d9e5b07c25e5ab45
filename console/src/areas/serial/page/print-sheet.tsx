import type { ReactNode } from 'react'
import { useFormats, useText } from '@/i18n'
import { PrintSheet } from '@/ui/PrintSheet'
import { wordOf } from '@/ui/states'
import { What } from './evidence-list'
import { HappeningLine } from './happening'
import { told } from './model/evidence'
import { printedParts } from './model/print'
import { ShownValue } from './shown-value'
import type { UnitView } from './view'

/** The unit on paper: identity, record, parts, values and what happened, without what only serves the screen. */
export function UnitSheet({ view }: { view: UnitView }) {
  const t = useText()
  const formats = useFormats()
  const unit = view.unit.data
  if (unit === undefined || view.notYet) return null
  const word = view.shipped ? wordOf('place', 'shipped') : view.state && wordOf('serial', view.state)
  const state = word === undefined ? '' : (t as (key: string) => string)(word)
  const product = [unit.product?.description, unit.product?.code].filter(Boolean).join(' · ')
  const past = view.time === undefined ? '' : t('serial.time.past', { time: formats.dateTime(view.time) })
  const subtitle = [product, state, unit.wo_code, past].filter(Boolean).join(' · ')
  return (
    <PrintSheet
      title={view.facts?.code ?? t('serial.uncoded', { product: unit.product?.code ?? '' })}
      subtitle={subtitle}
    >
      <Evidence view={view} />
      <Parts view={view} />
      <Part title={t('serial.making.title')} shown={view.fields.length > 0}>
        {view.fields.map((field) => (
          <tr key={`${field.form_field_key} ${field.custom_field_key}`}>
            <td>{field.phase_alias}</td>
            <td>{field.label}</td>
            <td>
              <ShownValue kind={field.field_type} value={field.value} />
            </td>
            <td>{field.last_updated && formats.dateTime(field.last_updated)}</td>
          </tr>
        ))}
      </Part>
      <Part title={t('serial.timeline.title')} shown={view.happenings.length > 0}>
        {view.happenings
          .filter(({ time }) => view.time === undefined || time <= view.time)
          .map((one) => (
            <tr key={one.id}>
              <td>{formats.dateTime(one.at)}</td>
              <td>
                <HappeningLine line={one.headline} view={view} />
                {one.headline.note && <> – {one.headline.note}</>}
              </td>
              <td>{view.people?.get(one.userKey)}</td>
            </tr>
          ))}
      </Part>
    </PrintSheet>
  )
}

function Part({ title, shown, children }: { title: string; shown: boolean; children: ReactNode }) {
  if (!shown) return null
  return (
    <section>
      <h2>{title}</h2>
      <table>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}

function Evidence({ view }: { view: UnitView }) {
  const t = useText()
  const record = view.record.data
  if (record === undefined) return null
  const list = told(record.missing_evidence, view.unit.data?.scrapped !== null)
  return (
    <section>
      <h2>{t('serial.record.title')}</h2>
      {record.complete && <p>{t('serial.record.complete')}</p>}
      <ul>
        {list.map((evidence) => (
          <li key={JSON.stringify(evidence)}>
            <What evidence={evidence} view={view} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Parts({ view }: { view: UnitView }) {
  const t = useText()
  const { rows, left } = printedParts(view.node)
  return (
    <Part title={t('serial.parts.title')} shown={rows.length > 0}>
      {rows.map(({ node, level, id }) => (
        <tr key={id}>
          <td style={{ paddingLeft: `${level * 5}mm` }}>
            {node.expected ? t('ui.tree.missing', { count: node.expected_quantity ?? 1 }) : node.serial_code}
            {node.replaced && <> ({t('serial.parts.replaced')})</>}
          </td>
          <td>{node.product_code}</td>
          <td>{node.product_description}</td>
        </tr>
      ))}
      {left > 0 && (
        <tr>
          <td>{t('serial.andMore', { count: left })}</td>
        </tr>
      )}
    </Part>
  )
}
