import { type CSSProperties, type KeyboardEvent, useRef, useState } from 'react'
import { useText } from '@/i18n'
import { useScanner } from '@/scan'
import type { Order } from '../orders'
import { OrderCard, type Where } from './order-card'
import { type Held, type Told, useReorder } from './reorder'
import { givesWay, moveBefore, putTo, type Target, targetAt } from './sequence'

interface QueueProps {
  /** The whole queue, in its sequence. */
  readonly orders: readonly Order[]
  /** Those that the filters leave. */
  readonly shown: readonly Order[]
  readonly movable: boolean
  readonly assigneeNeeded: boolean
  readonly onSort: (before: readonly string[], after: readonly string[]) => void
}

function keysOf(orders: readonly Order[]): string[] {
  return orders.map((order) => order._key)
}

/** The sequence after a card was sent somewhere by its menu. */
function sentTo(keys: readonly string[], shown: readonly string[], key: string, where: Where): string[] {
  if (where === 'first') return moveBefore(keys, key, keys[0] ?? null)
  if (where === 'last') return moveBefore(keys, key, null)
  const at = shown.indexOf(key)
  const to = where === 'up' ? at - 1 : at + 1
  const target = to < 0 || to >= shown.length ? null : targetAt(shown, key, to)
  return (target && putTo(keys, key, target)) ?? [...keys]
}

function styleOf(held: Held | null, key: string, at: number): CSSProperties | undefined {
  if (held === null) return undefined
  if (held.key !== key) return { transform: `translateY(${givesWay(at, held.from, held.to) * held.height}px)` }
  const moved = held.by === 'pointer' ? held.moved : (held.to - held.from) * held.height
  return { transform: `translateY(${moved}px)` }
}

/** Arrow keys walk through the orders. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  if (!(event.target instanceof HTMLElement) || !event.target.matches('[data-walk]')) return
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-walk]')]
  const next = links[links.indexOf(event.target) + (event.key === 'ArrowDown' ? 1 : -1)]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}

/** The site queue: drag an order to its place, or move it by keyboard. */
export function Queue({ orders, shown, movable, assigneeNeeded, onSort }: QueueProps) {
  const t = useText()
  const list = useRef<HTMLOListElement>(null)
  const { signal } = useScanner()
  const [told, setTold] = useState('')
  const all = keysOf(orders)
  const keys = keysOf(shown)
  const sort = (after: readonly string[]) => {
    if (after.some((key, at) => key !== all[at])) onSort(all, after)
  }
  const tell = (what: Told, key: string, place: number) => {
    const code = cards.find((order) => order._key === key)?.wo_code ?? ''
    setTold(
      what === 'canceled'
        ? t('production.drag.canceled', { code })
        : t(`production.drag.${what}`, { code, place: place + 1, total: cards.length }),
    )
  }
  const onDrop = (key: string, target: Target) => {
    const after = putTo(all, key, target)
    if (after !== null) return sort(after)
    const codeOf = (one: string) => cards.find((order) => order._key === one)?.wo_code ?? ''
    const gone = all.includes(key) ? target.other : key
    const text = t('production.drag.gone', { gone: codeOf(gone) })
    setTold(text)
    signal({ tone: 'bad', text })
  }
  const { held, handle } = useReorder({ list, keys, onDrop, tell })
  // While a card is held, the list stays as it was lifted from, so that nothing moves away beneath it.
  const lifted = useRef(shown)
  if (held === null) lifted.current = shown
  const cards = lifted.current
  return (
    <>
      <p id="tw-plan-drag-help" hidden>
        {t('production.card.dragHelp')}
      </p>
      <p className="tw-hidden" aria-live="assertive">
        {told}
      </p>
      <ol
        className="tw-plan-queue"
        ref={list}
        aria-label={t('production.plan.queue')}
        onKeyDown={walk}
        data-holding={held?.by}
      >
        {cards.map((order, at) => (
          <OrderCard
            key={order._key}
            order={order}
            place={all.indexOf(order._key) + 1}
            assigneeNeeded={assigneeNeeded}
            handle={movable ? handle(order._key) : undefined}
            onMove={(where) => sort(sentTo(all, keys, order._key, where))}
            held={held?.key === order._key}
            style={styleOf(held, order._key, at)}
          />
        ))}
      </ol>
    </>
  )
}
