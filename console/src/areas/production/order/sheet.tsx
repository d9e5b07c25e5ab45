import { multiply } from '@/api/decimal'
import { useFormats, useText } from '@/i18n'
import { fullName } from '@/session'
import { dueDay } from '@/ui/days'
import { Facts } from '@/ui/Facts'
import { linesOf } from '@/ui/long-text'
import { PrintSheet } from '@/ui/PrintSheet'
import { Quantity } from '@/ui/Quantity'
import { type Order, phasesOf } from '../orders'
import { Barcode } from './barcode'
import { useMaterialUnits } from './materials'
import { useOutputCode, useUnit } from './side'

/** The order on paper: what to make, of what, through which phases, with room to sign. */
export function Sheet({ order }: { order: Order }) {
  const t = useText()
  const formats = useFormats()
  const unit = useUnit(order)
  const output = useOutputCode(order)
  const subtitle = [order.product_code, order.product_description].filter(Boolean).join(' – ')
  return (
    <PrintSheet title={`${t('production.sheet.title')} ${order.wo_code}`} subtitle={subtitle}>
      <div className="tw-wo-sheet-top">
        <Facts
          look="line"
          facts={[
            {
              label: t('production.facts.quantity'),
              value: unit ? `${formats.decimal(order.qt_planned)} ${unit}` : formats.decimal(order.qt_planned),
            },
            { label: t('production.facts.due'), value: order.due_by && formats.date(dueDay(order.due_by)) },
            { label: t('production.facts.project'), value: order.project_code },
            { label: t('production.facts.output'), value: output },
          ]}
        />
        <div className="tw-wo-sheet-scan">
          <Barcode value={order.wo_code} />
          <strong className="tw-code">{order.wo_code}</strong>
          <span>{t('production.sheet.scan')}</span>
        </div>
      </div>
      {order.notes && <p className="tw-wo-sheet-notes">{linesOf(order.notes).join('\n')}</p>}
      <SheetPhases order={order} />
      {order.wo_bom.length > 0 && <SheetMaterials order={order} />}
    </PrintSheet>
  )
}

function SheetPhases({ order }: { order: Order }) {
  const t = useText()
  return (
    <>
      <h2>{t('production.phase.title')}</h2>
      <table>
        <thead>
          <tr>
            <th>{t('production.job.phase')}</th>
            <th>{t('production.job.operator')}</th>
            <th data-numeric>{t('production.job.planned')}</th>
            <th data-numeric>{t('production.job.completed')}</th>
            <th className="tw-wo-sheet-sign">{t('production.sheet.signature')}</th>
          </tr>
        </thead>
        <tbody>
          {phasesOf(order).map((phase) => (
            <tr key={phase.key}>
              <td>{phase.alias}</td>
              <td>
                {phase.jobs.flatMap((job) => (job.assigned_user ? [fullName(job.assigned_user)] : [])).join(', ')}
              </td>
              <td data-numeric>
                <Quantity value={phase.planned} />
              </td>
              <td data-numeric>
                <Quantity value={phase.completed} />
              </td>
              <td />
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function SheetMaterials({ order }: { order: Order }) {
  const t = useText()
  const units = useMaterialUnits(order)
  return (
    <>
      <h2>{t('production.material.title')}</h2>
      <table>
        <thead>
          <tr>
            <th>{t('production.material.component')}</th>
            <th>{t('production.material.description')}</th>
            <th>{t('production.material.phase')}</th>
            <th data-numeric>{t('production.material.each')}</th>
            <th data-numeric>{t('production.material.total')}</th>
            <th>{t('production.material.picked')}</th>
          </tr>
        </thead>
        <tbody>
          {order.wo_bom.map((line) => (
            <tr key={`${line.component_key} ${line.phase_key}`}>
              <td className="tw-code">{line.component_code}</td>
              <td>{line.component_description}</td>
              <td>{line.phase_name}</td>
              <td data-numeric>
                <Quantity value={line.qt} unit={units.get(line.component_key)} />
              </td>
              <td data-numeric>
                <Quantity value={multiply(line.qt, order.qt_planned)} unit={units.get(line.component_key)} />
              </td>
              <td>
                <span className="tw-wo-sheet-box" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
