import { useState } from 'react'
import { equals, isZero } from '@/api/decimal'
import { useFormats, useText } from '@/i18n'
import { fullName } from '@/session'
import { Go } from '@/ui/Go'
import { Icon, type IconName } from '@/ui/icons'
import type { Left } from '../logic/main-button'
import { passes, scrapQt } from '../logic/scrap'
import { workPage } from '../take'
import { unitName } from '../use-bench-scan'
import type { Flow } from '../use-flow'
import { DocsDialog } from './docs-dialog'
import { IssueDialog } from './issue-dialog'
import { ScrapDialog } from './scrap-dialog'

type Open = 'scrap' | 'issue' | 'docs' | null

interface SideProps {
  readonly icon: IconName
  readonly label: string
  readonly onPress: () => void
  readonly disabled?: boolean
}

function Side({ icon, label, onPress, disabled = false }: SideProps) {
  return (
    <button type="button" className="pn-side-button" onClick={onPress} disabled={disabled}>
      <Icon name={icon} size={24} />
      {label}
    </button>
  )
}

/** What the batch comes to when the main button ends it. */
function useOutcome({ work, main }: Flow): string | null {
  const t = useText()
  const formats = useFormats()
  const { batch, draft, units } = work
  if (!main.closes || !batch) return null
  const pass = passes(batch.qt_total, draft.marks)
  const scrap = scrapQt(draft.marks)
  if (isZero(scrap) && units !== null) return t('panel.main.closes', { count: Number(pass) })
  const passed = t('panel.main.passed', { count: Number(pass), shown: formats.decimal(pass) })
  if (isZero(scrap)) return passed
  return `${passed}, ${t('panel.main.scrapped', { count: Number(scrap), shown: formats.decimal(scrap) })}`
}

function useLabel({ main, begin, silent }: Flow): string {
  const t = useText()
  if (silent) return t('panel.paused.worked')
  const count = begin.kind === 'waiting' ? begin.chosen.length : begin.labels.length
  if ((main.act === 'start' || main.act === 'next') && count > 0) return t('panel.main.startWith', { count })
  return t(`panel.main.${main.act}`)
}

/** The id of the words above the main button. */
const WHY = 'pn-why'

/** Why the main button can't be pressed, where people look for it. */
function Why({ flow }: { flow: Flow }) {
  const t = useText()
  const { main, work } = flow
  const person = fullName(work.job.assigned_user ?? {})
  switch (main.why) {
    case undefined:
      return null
    case 'busy':
      return (
        <p className="pn-why" id={WHY}>
          {work.elsewhere && (
            <Go to={workPage(work.elsewhere._key)}>
              {t('panel.why.busy', { order: work.elsewhere.wo_code, phase: work.elsewhere.phase_alias })}
            </Go>
          )}
        </p>
      )
    case 'other':
    case 'theirs':
      return (
        <p className="pn-why" id={WHY}>
          {t(`panel.why.${main.why}`, { who: person })}
        </p>
      )
    case 'components':
    case 'label':
      return (
        <p className="pn-why" id={WHY}>
          {t(`panel.why.${main.why}`, { count: main.count ?? 0 })}
        </p>
      )
    default:
      return (
        <p className="pn-why" id={WHY}>
          {t(`panel.why.${main.why}`)}
        </p>
      )
  }
}

/** Why the main button is quiet: what is left to do at this step. It can be pressed all the same, and says more then. */
function LeftLine({ left }: { left: Left }) {
  const t = useText()
  const { answers, parts, labels } = left
  const words = [
    answers > 0 && t('panel.left.answers', { count: answers }),
    labels > 0 && t('panel.left.labels', { count: labels }),
    parts > 0 && t('panel.why.components', { count: parts }),
  ]
  return (
    <p className="pn-left" id={WHY}>
      {words.filter(Boolean).join(' · ')}
    </p>
  )
}

/** What is marked as scrap stays in sight until the button says it, wherever the list of units has been scrolled to. */
function ScrapLine({ flow: { work, main } }: { flow: Flow }) {
  const t = useText()
  const formats = useFormats()
  const { marks } = work.draft
  if (marks.length === 0 || main.closes || !work.job.active) return null
  const what =
    marks.length === 1 && work.units !== null
      ? unitName(t, work.units, marks[0]?.unitKey ?? null)
      : formats.decimal(scrapQt(marks))
  return (
    <p className="pn-scrap-line" role="status">
      <Icon name="scrapped" size={22} />
      {t('panel.scrap.line', { what })}
    </p>
  )
}

const ICONS: Readonly<Partial<Record<string, IconName>>> = {
  start: 'play',
  next: 'play',
  resume: 'play',
  answer: 'right',
  wait: 'waiting',
  leave: 'left',
}

/** Always at the same place: the main button at the right, the others beside it. */
export function Foot({ flow }: { flow: Flow }) {
  const [open, setOpen] = useState<Open>(null)
  const t = useText()
  const { work, main, pause, silent } = flow
  const press = silent ? () => flow.backOnline(work.job.last_online) : flow.press
  const label = useLabel(flow)
  const outcome = useOutcome(flow)
  const atWork = work.job.active && (work.mine || work.supervisor) && work.canSend && !work.waiting
  const allScrap = work.batch !== null && equals(scrapQt(work.draft.marks), work.batch.qt_total)
  const close = () => setOpen(null)
  return (
    <footer className="pn-foot">
      <div className="pn-sides">
        <Side icon="pause" label={t('panel.action.pause')} onPress={pause} disabled={!atWork || work.busy} />
        <Side
          icon="scrapped"
          label={t('panel.action.scrap')}
          onPress={() => setOpen('scrap')}
          disabled={!atWork || work.batch === null || allScrap}
        />
        <Side icon="issue" label={t('panel.action.issue')} onPress={() => setOpen('issue')} disabled={!work.canSend} />
        <Side icon="file" label={t('panel.action.docs')} onPress={() => setOpen('docs')} />
      </div>
      <div className="pn-main">
        <ScrapLine flow={flow} />
        {!silent && <Why flow={flow} />}
        {flow.left && <LeftLine left={flow.left} />}
        <button
          type="button"
          className="pn-main-button"
          aria-describedby={flow.left || (main.why && !silent) ? WHY : undefined}
          data-quiet={flow.left !== null || undefined}
          data-closes={main.closes || undefined}
          data-busy={work.busy || undefined}
          disabled={!silent && (main.why !== undefined || main.act === 'wait')}
          aria-disabled={work.busy || undefined}
          onClick={press}
        >
          <Icon name={ICONS[main.act] ?? 'check'} size={30} />
          <span>
            {label}
            {outcome && <small>{outcome}</small>}
          </span>
        </button>
      </div>
      <ScrapDialog flow={flow} opened={open === 'scrap'} onClose={close} />
      <IssueDialog flow={flow} opened={open === 'issue'} onClose={close} />
      <DocsDialog job={work.job} opened={open === 'docs'} onClose={close} />
    </footer>
  )
}
