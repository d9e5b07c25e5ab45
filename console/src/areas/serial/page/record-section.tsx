import { Button, Checkbox, Menu } from '@mantine/core'
import { useState } from 'react'
import { downloadFile, failureOf } from '@/api'
import { useFormats, useText } from '@/i18n'
import { Copyable } from '@/ui/Copyable'
import { Faults } from '@/ui/Faults'
import { Icon } from '@/ui/icons'
import { LoadFailed } from '@/ui/LoadFailed'
import { Section } from '@/ui/Section'
import { Lines } from '@/ui/Skeletons'
import { ToneMark } from '@/ui/StatusMark'
import type { Act, ActKind } from './actions/acts'
import { EvidenceList } from './evidence-list'
import { noesIn } from './model/answer'
import { counted, isFault, type RecordOptions, recordPath, told } from './model/evidence'
import { PdfDialog } from './pdf-dialog'
import type { UnitView } from './view'

interface RecordSectionProps {
  readonly view: UnitView
  readonly may: (kind: ActKind) => boolean
  readonly onAct: (act: Act) => void
  readonly mayUpload: boolean
}

/** The history record: whether it is complete, what it lacks and what to do about it, and the record itself as a file. */
export function RecordSection({ view, ...helpers }: RecordSectionProps) {
  const t = useText()
  const { record, serialKey } = view
  const data = record.data
  const unit = view.unit.data
  const list = data ? told(data.missing_evidence, unit?.scrapped !== null) : []
  return (
    <div id="record">
      <Section title={t('serial.record.title')}>
        {view.time !== undefined && <p className="tw-unit-later">{t('serial.record.today')}</p>}
        {record.isPending && <Lines count={3} />}
        {record.isError && <LoadFailed error={record.error} onRetry={record.refetch} />}
        {data && (
          <Verdict complete={data.complete} lacking={counted(list)} fault={isFault(list, unit?.released !== null)} />
        )}
        {data && <Noes labels={noesBeside(data)} />}
        {list.length > 0 && <EvidenceList list={list} view={view} {...helpers} />}
        <RecordFiles serialKey={serialKey} code={unit?.code ?? null} />
        {data && <Seal journal={data.journal} />}
      </Section>
    </div>
  )
}

function Verdict({ complete, lacking, fault }: { complete: boolean; lacking: number; fault: boolean }) {
  const t = useText()
  const tone = complete ? 'done' : fault ? 'critical' : 'waiting'
  return (
    <p className="tw-unit-verdict" data-tone={tone}>
      <Icon name={tone} size={20} />
      <b>{complete ? t('serial.record.complete') : t('serial.record.lacks', { count: lacking })}</b>
    </p>
  )
}

/** Those that the record does not lack, for these are listed anyway. */
function noesBeside({ acceptance_records, missing_evidence }: NonNullable<UnitView['record']['data']>): string[] {
  const lacking = new Set(missing_evidence.map(({ form_field_key }) => form_field_key))
  return noesIn(acceptance_records.fields.filter(({ form_field_key: key }) => key === null || !lacking.has(key)))
}

/** So many questions are named. */
const NAMED = 5

/** A record can be complete and still say that a test was not passed. */
function Noes({ labels }: { labels: readonly string[] }) {
  const t = useText()
  if (labels.length === 0) return null
  const named = labels.slice(0, NAMED).map((label) => label || t('serial.aField'))
  const more = labels.length > NAMED ? [t('serial.andMore', { count: labels.length - NAMED })] : []
  return (
    <p className="tw-unit-noes">
      <a href="#making">
        <ToneMark tone="waiting" icon="deleted">
          {t('serial.record.noes', { count: labels.length, labels: [...named, ...more].join(', ') })}
        </ToneMark>
      </a>
    </p>
  )
}

/** How far the journal is sealed: what an auditor writes down to verify it later. */
function Seal({ journal }: { journal: NonNullable<UnitView['record']['data']>['journal'] }) {
  const t = useText()
  const formats = useFormats()
  const { sealed_seq: sealed, head_hash: hash, head_block: block } = journal
  if (typeof hash !== 'string' || typeof sealed !== 'number' || typeof block !== 'number') return null
  return (
    <p className="tw-unit-seal">
      <Icon name="shield" size={14} />
      <span>{t('serial.record.seal', { sealed: formats.number(sealed), block: formats.number(block) })}</span>
      <Copyable value={hash}>
        <span className="tw-code">{hash.slice(0, 12)}…</span>
      </Copyable>
    </p>
  )
}

const FIRST: RecordOptions = { steps: true, attachments: true, children: false }

/** The record as PDF, archive and JSON. */
function RecordFiles({ serialKey, code }: { serialKey: string; code: string | null }) {
  const t = useText()
  const [options, setOptions] = useState(FIRST)
  const [reading, setReading] = useState(false)
  const [busy, setBusy] = useState<'pdf' | 'zip' | 'json' | null>(null)
  const [failure, setFailure] = useState<string>()
  const fetchAs = async (format: 'pdf' | 'zip' | 'json') => {
    setBusy(format)
    setFailure(undefined)
    try {
      await downloadFile(recordPath(serialKey, format, options), `DHR_${code ?? serialKey}.${format}`)
    } catch (error) {
      setFailure(failureOf(error).message || t('serial.record.noAnswer'))
    } finally {
      setBusy(null)
    }
  }
  const option = (name: keyof RecordOptions, label: string) => (
    <Checkbox
      size="xs"
      label={label}
      checked={options[name]}
      onChange={(event) => setOptions({ ...options, [name]: event.currentTarget.checked })}
    />
  )
  return (
    <div className="tw-unit-record-files tw-no-print">
      <div className="tw-unit-buttons">
        <Button leftSection={<Icon name="file" />} onClick={() => setReading(true)}>
          {t('serial.record.open')}
        </Button>
        <Menu>
          <Menu.Target>
            <Button variant="default" leftSection={<Icon name="download" />} loading={busy !== null}>
              {t('serial.record.download')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => void fetchAs('pdf')}>{t('serial.record.pdf')}</Menu.Item>
            <Menu.Item onClick={() => void fetchAs('zip')}>{t('serial.record.zip')}</Menu.Item>
            <Menu.Item onClick={() => void fetchAs('json')}>{t('serial.record.json')}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
      <fieldset className="tw-unit-options">
        <legend className="tw-hidden">{t('serial.record.options')}</legend>
        {option('steps', t('serial.record.withSteps'))}
        {option('attachments', t('serial.record.withFiles'))}
        {option('children', t('serial.record.withParts'))}
      </fieldset>
      <Faults faults={[]} message={failure} />
      {reading && (
        <PdfDialog
          path={recordPath(serialKey, 'pdf', options)}
          name={`${t('serial.record.title')} ${code ?? ''}`.trim()}
          onClose={() => setReading(false)}
          onDownload={() => void fetchAs('pdf')}
        />
      )}
    </div>
  )
}
