/*
 * Scans before a batch begins: units that wait, labels for new ones, or another order. One after the other: each sees what the one before
 * has changed.
 */

import { useRef } from 'react'
import { failureOf } from '@/api'
import { useText } from '@/i18n'
import { type ScanAnswer, type Scanned, useScan } from '@/scan'
import { wholeUnits } from './logic/components'
import { codeIn } from './logic/scanned'
import { pickLabel, pickUnit } from './logic/unit-scan'
import { isFree } from './service'
import { useTake } from './take'
import { useTurns } from './turns'
import type { Flow } from './use-flow'

export function useBeginScan(flow: Flow): void {
  const t = useText()
  const take = useTake()
  const turns = useTurns()
  const latest = useRef(flow)
  latest.current = flow

  const unit = async (code: string, scan: Scanned): Promise<ScanAnswer> => {
    const { begin } = latest.current
    const most = wholeUnits(begin.remaining)
    const pick = pickUnit(code, begin.waiting, begin.taken(), most)
    if (pick.kind === 'notWaiting')
      return (await take(scan)) ?? { ok: false, say: t('panel.scan.notWaiting', { code }) }
    if (pick.kind === 'twice') return { ok: false, say: t('panel.scan.twice', { code }) }
    if (pick.kind === 'tooMany') return { ok: false, say: t('panel.scan.tooMany', { count: most }) }
    begin.choose([...begin.taken(), pick.unit.serial_key])
    return { ok: true, say: t('panel.scan.taken', { code }) }
  }

  const label = async (code: string): Promise<ScanAnswer> => {
    const { begin, work } = latest.current
    const most = wholeUnits(begin.remaining)
    const pick = pickLabel(code, begin.taken(), most)
    if (pick.kind === 'twice') return { ok: false, say: t('panel.scan.twice', { code }) }
    if (pick.kind === 'tooMany') return { ok: false, say: t('panel.scan.tooMany', { count: most }) }
    if (!(await isFree(pick.code, work.job.product_key))) return { ok: false, say: t('panel.label.taken', { code }) }
    if (latest.current.work.busy) return { ok: false, say: t('scan.loading') }
    begin.label([...begin.taken(), pick.code])
    return { ok: true, say: t('panel.scan.taken', { code: pick.code }) }
  }

  const read = async (scan: Scanned): Promise<ScanAnswer> => {
    const code = codeIn(scan)
    const { kind } = latest.current.begin
    if (code === null || kind === 'none') return take(scan)
    if (kind === 'waiting') return unit(code, scan)
    return (await take(scan)) ?? label(code)
  }

  useScan(
    (scan) =>
      turns.take(async () => {
        try {
          return await read(scan)
        } catch (error) {
          const failure = failureOf(error)
          return { ok: false, say: failure.offline ? t('panel.scan.offline') : failure.message }
        }
      }),
    { priority: 10, typed: true },
  )
}
