/*
 * Scans while a batch is worked on. One after the other: each sees what the one before has changed.
 */

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { api, bare, failureOf } from '@/api'
import { clock } from '@/clock'
import { type Text, useText } from '@/i18n'
import { type ScanAnswer, type Scanned, useScan } from '@/scan'
import { addPart, benchOf, isTakenOut, nextUnlabelled, onPresent, PartsMoved } from './bench'
import { type Found, isUnfinished, type Meaning, meaningOf, type Refusal } from './logic/component-scan'
import * as events from './logic/events'
import { followActs, LastAnswer, type Standing } from './logic/last-answer'
import { codeIn, keyIn } from './logic/scanned'
import { scrapKeys } from './logic/scrap'
import { codeOf, unitPlace, unlabelled } from './logic/unit-scan'
import type { JobDetail, Serial, Unit } from './model'
import { isFree, parentOf, productName, unitsWithCode } from './service'
import { useTake } from './take'
import { useTurns } from './turns'
import type { Flow } from './use-flow'
import { useSend } from './use-send'

/** What people call a unit: its code, or its place in the batch. */
export function unitName(t: Text, units: readonly Unit[] | null, unitKey: string | null): string {
  if (unitKey === null || units === null) return t('panel.unit.batch')
  return codeOf(units, unitKey) ?? t('panel.unit.place', { number: unitPlace(units, unitKey) })
}

/** Why a scan is wrong, in words. */
async function wordsFor(t: Text, code: string, refusal: Refusal, units: readonly Unit[] | null): Promise<string> {
  const unit = (key: string | null) => unitName(t, units, key)
  switch (refusal.why) {
    case 'nothing':
      return t('panel.scan.nothing', { code })
    case 'wrongPart': {
      const part = await productName(refusal.serial.product_key)
      const { expected } = refusal
      if (expected === null) return t('panel.scan.notNeeded', { code, part })
      return t('panel.scan.wrongPart', { code, part, expected: expected.code })
    }
    case 'notNeeded':
      return t('panel.scan.notNeeded', { code, part: await productName(refusal.serial.product_key) })
    case 'declared':
      return t('panel.scan.declared', { code, unit: unit(refusal.unitKey) })
    case 'used': {
      const parent = await parentOf(refusal.serial._key)
      return parent === null ? t('panel.scan.usedSomewhere', { code }) : t('panel.scan.used', { code, parent })
    }
    case 'scrapped':
      return t('panel.scan.scrapped', { code, reason: refusal.serial.scrap_reason ?? '–' })
    case 'deleted':
      return t('panel.scan.deleted', { code })
    case 'hasAlready':
      return t('panel.scan.hasAlready', {
        unit: unit(refusal.unitKey),
        part: refusal.need.code,
        other: unit(refusal.other),
      })
    case 'full':
      return t('panel.scan.full', { part: refusal.need.code })
    case 'productCode':
      return t('panel.scan.productCode', { code })
  }
}

export interface ScanWords {
  readonly ok: boolean
  readonly text: string
}

export type LastScan = Standing<ScanWords>

/** The component that a scan put in. */
interface Part {
  readonly key: string
  readonly code: string
}

interface BenchScan {
  readonly last: LastScan | null
}

/** Whether the place for the last scan is on the screen. */
function isInSight(): boolean {
  const card = document.querySelector('.pn-next') ?? document.querySelector('.pn-side')
  const top = card?.getBoundingClientRect().top ?? -1
  return top >= 0 && top < window.innerHeight / 2
}

async function lookUp(scan: Scanned): Promise<{ code: string; found: Serial[] } | null> {
  const key = keyIn(scan, 'serial')
  if (key !== null) {
    const serial = await bare(api.GET('/serial/{serial_key}', { params: { path: { serial_key: key } } }))
    return { code: serial.code ?? '', found: [serial] }
  }
  const code = codeIn(scan)
  return code === null ? null : { code, found: await unitsWithCode(code) }
}

export function useBenchScan(flow: Flow): BenchScan {
  const { work, place, takeInHand } = flow
  const t = useText()
  const client = useQueryClient()
  const take = useTake()
  const send = useSend(work.job._key)
  const latest = useRef(flow)
  latest.current = flow
  const turns = useTurns()
  const [answers] = useState(() => new LastAnswer<ScanWords>())
  const last = useSyncExternalStore(answers.subscribe, answers.current)
  const [put, setPut] = useState<Part>()
  const linked = useRef<Part>(undefined)
  /** The part that the page has shown in its place: only that can be missed. */
  const shown = useRef<string>(undefined)
  const left = useRef(false)
  const field = place.answers?.questions[place.question]
  const asksText = field?.kind === 'text' && !field.multiple && place.view?.done === false

  /** Another job may be meant: then this page is left, and can't show the answer. */
  const takeOther = async (scan: Scanned): Promise<ScanAnswer> => {
    const answer = await take(scan)
    left.current = answer?.ok === true
    return answer
  }

  const label = async (unit: Unit, code: string): Promise<ScanAnswer> => {
    if (!(await isFree(code, work.job.product_key))) return { ok: false, say: t('panel.label.taken', { code }) }
    const event = events.unitLabelled(unit.serial_key, code, clock.stamp(work.job._key))
    const done = await send(event, t('panel.sent.label', { code }))
    return done ? { ok: true, say: t('panel.label.done', { code }) } : { ok: false, say: t('panel.refused.title') }
  }

  const act = async (code: string, meaning: Meaning, scan: Scanned, job: JobDetail): Promise<ScanAnswer> => {
    const { units, batch, draft } = latest.current.work
    if (meaning.kind === 'unit') {
      takeInHand(meaning.unitKey)
      return { ok: true, say: t('panel.scan.unit', { unit: unitName(t, units, meaning.unitKey) }) }
    }
    if (meaning.kind === 'untraced') return { ok: true, say: t('panel.scan.untraced', { code }) }
    if (meaning.kind === 'answer') {
      if (field) place.answer(field.key, code)
      return { ok: true, say: `${field?.label ?? ''}: ${code}` }
    }
    if (meaning.kind === 'link' && batch) {
      try {
        await addPart(client, job, batch._key, meaning.child, meaning.unitKey)
      } catch (error) {
        if (isUnfinished(failureOf(error))) return { ok: false, say: t('panel.scan.unfinished', { code }) }
        throw error
      }
      linked.current = { key: meaning.child._key, code }
      const unit = unitName(t, units, meaning.unitKey)
      return { ok: true, say: t('panel.scan.linked', { code, part: meaning.need.code, unit }) }
    }
    if (meaning.kind !== 'refuse') return undefined
    if (meaning.refusal.why === 'nothing' && batch && unlabelled(units).length > 0) {
      const bare = await nextUnlabelled(client, batch._key, scrapKeys(draft.marks))
      if (bare) return label(bare, code)
    }
    const other = meaning.refusal.why === 'nothing' ? await takeOther(scan) : undefined
    return other ?? { ok: false, say: await wordsFor(t, code, meaning.refusal, units) }
  }

  const read = async (scan: Scanned): Promise<ScanAnswer> => {
    const looked = await lookUp(scan)
    if (!looked) return takeOther(scan)
    const found: Found[] = looked.found
    return onPresent(client, latest.current.work.job._key, (job) => {
      const now = latest.current
      const bench = benchOf({ ...now.work, job }, now.bench.inHand)
      return act(looked.code, meaningOf(looked.code, found, { ...bench, asksText }), scan, job)
    })
  }

  const handle = async (scan: Scanned): Promise<ScanAnswer> => {
    linked.current = undefined
    left.current = false
    try {
      return await read(scan)
    } catch (error) {
      if (error instanceof PartsMoved) return { ok: false, say: t('panel.scan.moved') }
      const failure = failureOf(error)
      return { ok: false, say: failure.offline ? t('panel.scan.offline') : failure.message }
    }
  }

  const ready = work.job.active && work.batch !== null && !work.settling && (work.mine || work.supervisor)
  useScan(
    (scan) =>
      turns.take(async () => {
        answers.acted()
        const answer = await handle(scan)
        if (!answer || left.current) return answer
        setPut(linked.current)
        answers.say({ ok: answer.ok, text: answer.say ?? '' })
        return { ...answer, shown: isInSight() }
      }),
    { priority: 10, enabled: ready, typed: true },
  )
  useEffect(() => followActs(answers.acting), [answers])
  const gone = put !== undefined && isTakenOut(work.job, put.key)
  useEffect(() => {
    if (put === undefined) return
    if (!gone) shown.current = put.key
    else if (shown.current === put.key) answers.say({ ok: false, text: t('panel.scan.takenOut', { code: put.code }) })
  }, [put, gone, answers, t])
  return { last }
}
