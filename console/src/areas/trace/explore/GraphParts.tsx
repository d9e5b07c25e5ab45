import { ActionIcon, Button } from '@mantine/core'
import { Panel } from '@xyflow/react'
import { useText } from '@/i18n'
import { Icon } from '@/ui/icons'
import { canOpenLevel, type Opened, openLevel } from './opened'
import type { Show } from './viewport'
import { type Side, summaryOf, type Web } from './web'

/** More would neither be read nor drawn smoothly; the table has everything. */
const AT_MOST = 600

/** What lies on either side, in the upper corners. */
export function SideHeads({ web }: { web: Web }) {
  return (
    <>
      <Panel position="top-left">
        <SideHead web={web} side="from" />
      </Panel>
      <Panel position="top-right">
        <SideHead web={web} side="to" />
      </Panel>
    </>
  )
}

function SideHead({ web, side }: { web: Web; side: Side }) {
  const t = useText()
  const { units } = summaryOf(web, side)
  return (
    <p className="tw-graph-side">
      <b>{t(`trace.side.${side}`)}</b>{' '}
      <span>{units === 0 ? t(`trace.side.none.${side}`) : t('trace.side.units', { count: units })}</span>
    </p>
  )
}

interface ToolsProps {
  readonly web: Web
  readonly opened: Opened
  readonly onOpened: (opened: Opened) => void
  readonly show: Show
}

/** Zoom, one more level, and what the lines mean. */
export function GraphTools({ web, opened, onOpened, show }: ToolsProps) {
  const t = useText()
  const deeper = () => onOpened(openLevel(web, openLevel(web, opened, 'from', AT_MOST), 'to', AT_MOST))
  const looks = new Set(
    [...web.units.values()].map(({ link }) =>
      link?.replaced ? 'ended' : link?.confirmed === false ? 'temporary' : 'now',
    ),
  )
  return (
    <>
      <Panel position="bottom-left" className="tw-graph-tools">
        <Tool icon="minus" label={t('trace.graph.out')} onClick={() => show.zoom(false)} />
        <Tool icon="plus" label={t('trace.graph.in')} onClick={() => show.zoom(true)} />
        <Button variant="subtle" color="gray" size="compact-sm" onClick={show.all}>
          {t('trace.graph.fit')}
        </Button>
        {canOpenLevel(web, opened) && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={deeper}>
            {t('trace.graph.level')}
          </Button>
        )}
      </Panel>
      {(looks.has('ended') || looks.has('temporary')) && (
        <Panel position="bottom-center" className="tw-graph-legend">
          {(['now', 'ended', 'temporary'] as const)
            .filter((look) => looks.has(look))
            .map((look) => (
              <span key={look}>
                <svg width="28" height="8" aria-hidden="true" className="tw-link" data-look={look}>
                  <path className="react-flow__edge-path" d="M0 4h28" />
                </svg>
                {t(`trace.graph.legend.${look}`)}
              </span>
            ))}
        </Panel>
      )}
    </>
  )
}

function Tool({ icon, label, onClick }: { icon: 'plus' | 'minus'; label: string; onClick: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </ActionIcon>
  )
}
