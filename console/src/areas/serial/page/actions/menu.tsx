import { Button, Menu } from '@mantine/core'
import { useText } from '@/i18n'
import { Go } from '@/ui/Go'
import { Icon, type IconName } from '@/ui/icons'
import { PrintButton } from '@/ui/PrintSheet'
import type { UnitView } from '../view'
import type { Act, ActKind } from './acts'
import { BuildDialog } from './build-dialog'
import { CodeDialog, PlainDialog, ScrapDialog, TakeOutDialog } from './simple-acts'
import { ValuesDialog } from './values-dialog'

const ICONS: Record<ActKind, IconName> = {
  values: 'edit',
  code: 'serial',
  build: 'link',
  takeOut: 'leave',
  release: 'done',
  unrelease: 'undo',
  scrap: 'scrapped',
  unscrap: 'undo',
}

interface HeadActionsProps {
  readonly view: UnitView
  readonly acts: readonly ActKind[]
  /** Why there is nothing to do. */
  readonly why: 'past' | 'deleted' | 'rights' | 'correct' | undefined
  readonly onAct: (act: Act) => void
  readonly mayTrace: boolean
}

/** The buttons in the head of the page. */
export function HeadActions({ view, acts, why, onAct, mayTrace }: HeadActionsProps) {
  const t = useText()
  const start = (kind: ActKind) => onAct(kind === 'build' ? { kind, parentKey: view.serialKey } : { kind })
  return (
    <>
      {mayTrace && (
        <Button
          component={Go}
          to={traceAddress(view)}
          variant="default"
          className="tw-no-print"
          leftSection={<Icon name="trace" />}
        >
          {t('serial.act.trace')}
        </Button>
      )}
      <PrintButton />
      <Menu>
        <Menu.Target>
          <Button variant="default" className="tw-no-print" rightSection={<Icon name="down" size={14} />}>
            {t('serial.act.menu')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {why !== undefined && <Menu.Label>{t(`serial.why.${why}`)}</Menu.Label>}
          {why === undefined && acts.length === 0 && <Menu.Label>{t('serial.why.nothing')}</Menu.Label>}
          {why === undefined &&
            acts.map((kind) => (
              <Menu.Item
                key={kind}
                color={kind === 'scrap' ? 'red' : undefined}
                leftSection={<Icon name={ICONS[kind]} />}
                onClick={() => start(kind)}
              >
                {t(`serial.act.${kind}`)}
              </Menu.Item>
            ))}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}

/** The dialog of an act. */
export function ActDialogs({ act, view, onClose }: { act: Act; view: UnitView; onClose: () => void }) {
  switch (act.kind) {
    case 'scrap':
      return <ScrapDialog view={view} onClose={onClose} />
    case 'takeOut':
      return <TakeOutDialog view={view} onClose={onClose} />
    case 'code':
      return <CodeDialog view={view} onClose={onClose} />
    case 'values':
      return <ValuesDialog view={view} field={act.field} onClose={onClose} />
    case 'build':
      return <BuildDialog view={view} parentKey={act.parentKey} product={act.product} onClose={onClose} />
    default:
      return <PlainDialog kind={act.kind} view={view} onClose={onClose} />
  }
}

function traceAddress({ serialKey, asOf }: UnitView): string {
  const query = new URLSearchParams({ serial: serialKey })
  if (asOf !== undefined) query.set('as_of', asOf)
  return `/trace?${query}`
}
