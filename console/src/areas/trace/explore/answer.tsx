import type { ReactNode } from 'react'
import { type Text, useRich, useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { awayAt, partnerOf, placeOf, type RecalledUnit } from '../recall/groups'
import { traceRoute } from '../routes'
import { codeOf } from './names'
import { summaryOf, type Web } from './web'

/** Where a unit is, in a part of a sentence. */
export function placeWords(t: Text, unit: RecalledUnit): string {
  const away = awayAt(unit)
  if (away !== null) return t('trace.place.with', away)
  const place = placeOf(unit)
  const where = place === 'shipped' ? (partnerOf(unit) ?? unit.location.position_code) : unit.location.position_code
  if (place === 'in_stock' || place === 'shipped') {
    return where === null ? t(`trace.place.${place}.plain`) : t(`trace.place.${place}`, { where })
  }
  return t(`trace.place.${place}`)
}

/** The outermost unit: of today as the service says, of the past as the trace shows. */
interface Outer {
  readonly key: string | null
  readonly name: string
  readonly product: string
}

function outerOf(t: Text, web: Web, place: RecalledUnit | undefined, past: boolean): Outer | null {
  if (place && !past) {
    if (place.serial_key !== null && `Serial/${place.serial_key}` === web.start) return null
    const name = codeOf(t, { type: place.unit_type, code: place.serial_code })
    return { key: place.serial_key, name, product: place.product_code }
  }
  const end = web.units.get(summaryOf(web, 'to').ends[0] ?? '')?.node
  return end ? { key: end.serial_key, name: codeOf(t, end), product: end.product_code } : null
}

/** The sentence in the head of a trace. Today's place is left out where the past is shown. */
export function useAnswer(web: Web, place: RecalledUnit | undefined): ReactNode {
  const { as_of, replaced, side } = traceRoute.useSearch()
  const t = useText()
  const rich = useRich()
  const past = as_of !== undefined
  const outer = outerOf(t, web, place, past)
  const ends = summaryOf(web, 'to').ends.length
  const parts = summaryOf(web, 'from').units
  const into = (): ReactNode => {
    const where = place && placeWords(t, place)
    if (!outer) {
      if (past) return t('trace.answer.alone.asOf')
      return where === undefined ? t('trace.answer.alone.plain') : t('trace.answer.alone', { place: where })
    }
    const named = {
      unit: (
        <Code bare to={outer.key === null ? undefined : `/serial/${encodeURIComponent(outer.key)}`}>
          {outer.name}
        </Code>
      ),
      product: outer.product,
    }
    if (past) return rich('trace.answer.asOf', named)
    return where === undefined
      ? rich('trace.answer.to.plain', named)
      : rich('trace.answer.to', { ...named, place: where })
  }
  return (
    <>
      {side !== 'from' && into()} {replaced && !past && ends > 1 && `${t('trace.answer.was', { count: ends })} `}
      {side !== 'to' && (parts === 0 ? t('trace.answer.from.none') : t('trace.answer.from', { count: parts }))}
    </>
  )
}
