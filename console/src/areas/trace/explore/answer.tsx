import type { ReactNode } from 'react'
import { type Text, useRich, useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { partnerOf, placeOf, type RecalledUnit } from '../recall/groups'
import { traceRoute } from '../routes'
import { codeOf } from './names'
import { summaryOf, type Web } from './web'

/** Where a unit is, in a part of a sentence. */
export function placeWords(t: Text, unit: RecalledUnit): string {
  const place = placeOf(unit)
  const where = place === 'shipped' ? (partnerOf(unit) ?? unit.location.position_code) : unit.location.position_code
  if (place === 'in_stock' || place === 'shipped') {
    return where === null ? t(`trace.place.${place}.plain`) : t(`trace.place.${place}`, { where })
  }
  return t(`trace.place.${place}`)
}

/** The sentence in the head of a trace. Today's place is left out where the past is shown. */
export function useAnswer(web: Web, place: RecalledUnit | undefined): ReactNode {
  const { as_of, replaced, side } = traceRoute.useSearch()
  const t = useText()
  const rich = useRich()
  const { ends } = summaryOf(web, 'to')
  const parts = summaryOf(web, 'from').units
  const end = web.units.get(ends[0] ?? '')?.node
  const where = place && placeWords(t, place)
  const into = (): ReactNode => {
    if (as_of !== undefined) return end ? rich('trace.answer.asOf', named()) : t('trace.answer.alone.asOf')
    if (replaced && ends.length > 0) return t('trace.answer.was', { count: ends.length })
    if (!end) return where === undefined ? t('trace.answer.alone.plain') : t('trace.answer.alone', { place: where })
    return where === undefined
      ? rich('trace.answer.to.plain', named())
      : rich('trace.answer.to', { ...named(), place: where })
  }
  const named = () => ({
    unit:
      end?.code == null ? (
        end ? (
          codeOf(t, end)
        ) : (
          ''
        )
      ) : (
        <Code bare to={`/serial/${end.serial_key}`}>
          {end.code}
        </Code>
      ),
    product: end?.product_code ?? '',
  })
  return (
    <>
      {side !== 'from' && into()}{' '}
      {side !== 'to' && (parts === 0 ? t('trace.answer.from.none') : t('trace.answer.from', { count: parts }))}
    </>
  )
}
