import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { everyRow } from '@/api'
import { saveFile } from '@/api/files'
import { useText } from '@/i18n'
import { failureWords } from '../failure-words'
import { Icon } from '../icons'
import type { Visibility } from './columns'
import { csvName, toCsv } from './csv'
import type { Remote } from './rows'
import type { Column } from './types'

interface ToolsProps<Row> {
  readonly file: string
  readonly columns: readonly Column<Row>[]
  readonly visibility: Visibility
  readonly choose: (choice: Visibility | undefined) => void
  readonly rows: readonly Row[] | undefined
  readonly source: Remote<Row> | undefined
  readonly count: number
  readonly counted: boolean
  readonly children?: ReactNode
}

/** Where the pointer or the focus is. */
const SHOWN_BY = { hover: true, focus: true, touch: false }

/** The line above a table: filters, how many rows, which columns, export. */
export function Tools<Row>(props: ToolsProps<Row>) {
  const t = useText()
  const shown = props.columns.filter(({ id }) => props.visibility[id])
  return (
    <div className="tw-table-tools">
      <div className="tw-table-filters">{props.children}</div>
      <span className="tw-table-count" aria-live="polite">
        {props.counted && t('ui.table.rows', { count: props.count })}
      </span>
      <ColumnChoice {...props} />
      <Export columns={shown} rows={props.rows} source={props.source} file={props.file} count={props.count} />
    </div>
  )
}

type ChoiceProps<Row> = Pick<ToolsProps<Row>, 'columns' | 'visibility' | 'choose'>

function ColumnChoice<Row>({ columns, visibility, choose }: ChoiceProps<Row>) {
  const t = useText()
  return (
    <Menu>
      <Tooltip label={t('ui.table.columns')} events={SHOWN_BY}>
        <span>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={t('ui.table.columns')}>
              <Icon name="columns" />
            </ActionIcon>
          </Menu.Target>
        </span>
      </Tooltip>
      <Menu.Dropdown>
        {columns
          .filter(({ fixed }) => fixed !== true)
          .map(({ id, head }) => (
            <Menu.CheckboxItem
              key={id}
              checked={visibility[id] ?? false}
              onChange={(checked) => choose({ ...visibility, [id]: checked })}
            >
              {head}
            </Menu.CheckboxItem>
          ))}
        <Menu.Divider />
        <Menu.Item onClick={() => choose(undefined)}>{t('ui.table.columns.reset')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

interface ExportProps<Row> {
  readonly file: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[] | undefined
  readonly source: Remote<Row> | undefined
  readonly count: number
}

/** Exports all rows that the filters give, not only those loaded. */
function Export<Row>({ file, columns, rows, source, count }: ExportProps<Row>) {
  const t = useText()
  const [note, setNote] = useState('')
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  const fetchAll = (signal: AbortSignal) => {
    if (source === undefined) return Promise.resolve(rows ?? [])
    return everyRow(source.fetchPage, signal, (done, total) =>
      setNote(t('ui.table.exporting', { done, total: total ?? count })),
    )
  }
  const run = async () => {
    running.current?.abort()
    const control = new AbortController()
    running.current = control
    try {
      const csv = toCsv(columns, await fetchAll(control.signal))
      saveFile(new Blob([csv], { type: 'text/csv;charset=utf-8' }), csvName(file))
      setNote('')
    } catch (error) {
      if (!control.signal.aborted) setNote(t('ui.table.exportFailed', { message: failureWords(t, error) }))
    }
  }
  return (
    <>
      <span className="tw-table-note" role="status">
        {note}
      </span>
      <Tooltip label={t('ui.table.export')} events={SHOWN_BY}>
        <ActionIcon
          variant="subtle"
          color="gray"
          onClick={run}
          aria-label={t('ui.table.export')}
          disabled={count === 0}
        >
          <Icon name="download" />
        </ActionIcon>
      </Tooltip>
    </>
  )
}
