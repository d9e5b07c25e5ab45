import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useText } from '@/i18n'
import { parseScan } from '@/scan'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { Empty } from '@/ui/Empty'
import { failureWords } from '@/ui/failure-words'
import { Icon } from '@/ui/icons'
import { Section } from '@/ui/Section'
import { recallRoute } from '../routes'
import { CriteriaDialog } from './CriteriaDialog'
import { codeOf } from './codes'
import { Missing, PasteDialog } from './PasteDialog'
import { codesQuery } from './queries'
import '@/ui/Filters.css'
import { isEmpty, NO_CRITERIA } from './selection'
import { NAMED, type Several, type SuspectsState, useAddByCode } from './use-suspects'

/** Who is suspected: the ways to name them, and those named so far. */
export function Suspects({ suspects }: { suspects: SuspectsState }) {
  const t = useText()
  const { can } = useSession()
  const [dialog, setDialog] = useState<'paste' | 'criteria'>()
  const [several, setSeveral] = useState<Several>()
  const selection = recallRoute.useSearch()
  const mayFind = can('serial:read')
  const empty = isEmpty(selection)
  return (
    <Section
      title={t('trace.recall.suspects')}
      actions={
        !empty && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={suspects.clear}>
            {t('trace.recall.clear')}
          </Button>
        )
      }
    >
      <div className="tw-recall-add">
        {mayFind && <AddBox suspects={suspects} onSeveral={setSeveral} />}
        <div className="tw-recall-ways">
          {mayFind && (
            <Button variant="default" leftSection={<Icon name="copy" size={14} />} onClick={() => setDialog('paste')}>
              {t('trace.recall.paste')}
            </Button>
          )}
          <Button
            variant="default"
            leftSection={<Icon name="filter" size={14} />}
            onClick={() => setDialog('criteria')}
          >
            {t('trace.recall.criteria')}
          </Button>
        </div>
      </div>
      {!mayFind && <p className="tw-recall-note">{t('trace.recall.forbidden')}</p>}
      {several && <WhichOne several={several} suspects={suspects} onDone={() => setSeveral(undefined)} />}
      <Named suspects={suspects} onEdit={() => setDialog('criteria')} />
      <Missing codes={suspects.missing} />
      {suspects.lost && (
        <Empty icon="unknown" title={t('trace.recall.lost')}>
          {t('trace.recall.lost.text')}
        </Empty>
      )}
      {empty && (
        <Empty icon="flagged" title={t('trace.recall.empty')}>
          {t('trace.recall.empty.text')}
        </Empty>
      )}
      {dialog === 'paste' && <PasteDialog onClose={() => setDialog(undefined)} onAdd={suspects.add} />}
      {dialog === 'criteria' && (
        <CriteriaDialog
          criteria={suspects.criteria}
          onClose={() => setDialog(undefined)}
          onApply={suspects.setCriteria}
        />
      )}
    </Section>
  )
}

function AddBox({ suspects, onSeveral }: { suspects: SuspectsState; onSeveral: (several: Several) => void }) {
  const t = useText()
  const [text, setText] = useState('')
  const [note, setNote] = useState<{ ok: boolean; say: string }>()
  const addCode = useAddByCode(suspects, onSeveral)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const code = codeOf(parseScan(text, window.location.origin))
    if (code === undefined) return
    try {
      const answer = await addCode(code)
      setNote(answer)
      if (answer.ok) setText('')
    } catch (error) {
      setNote({ ok: false, say: failureWords(t, error) })
    }
  }
  return (
    <form className="tw-recall-box" onSubmit={submit}>
      <TextInput
        aria-label={t('trace.recall.add.label')}
        placeholder={t('trace.recall.add.hint')}
        leftSection={<Icon name="scan" />}
        value={text}
        error={note && !note.ok ? note.say : undefined}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setNote(undefined)
        }}
        autoComplete="off"
        spellCheck={false}
      />
      <Button type="submit" disabled={text.trim() === ''}>
        {t('trace.recall.add')}
      </Button>
      <span className="tw-hidden" role="status">
        {note?.ok && note.say}
      </span>
    </form>
  )
}

/** Several products have a unit of this code. */
function WhichOne({ several, suspects, onDone }: { several: Several; suspects: SuspectsState; onDone: () => void }) {
  const t = useText()
  const keys = several.units.map(({ key }) => key)
  const codes = useQuery(codesQuery(keys, true))
  const take = (chosen: readonly string[]) => {
    suspects.add(chosen)
    onDone()
  }
  return (
    <fieldset className="tw-recall-which" aria-label={t('trace.recall.several', { code: several.code })}>
      <p>{t('trace.recall.several', { code: several.code })}</p>
      {keys.map((key) => (
        <Button key={key} variant="default" size="compact-md" onClick={() => take([key])}>
          {codes.data?.get(key)?.product ?? '…'}
        </Button>
      ))}
      <Button variant="subtle" size="compact-md" onClick={() => take(keys)}>
        {t('trace.recall.several.all')}
      </Button>
    </fieldset>
  )
}

function Named({ suspects, onEdit }: { suspects: SuspectsState; onEdit: () => void }) {
  const t = useText()
  const { keys, named, words } = suspects
  if (keys.length === 0 && words === null) return null
  return (
    <ul className="tw-recall-named">
      {words !== null && (
        <li className="tw-chip">
          <button type="button" className="tw-chip-text" onClick={onEdit}>
            {words}
          </button>
          <Remove name={words} onClick={() => suspects.setCriteria(NO_CRITERIA)} />
        </li>
      )}
      {named.map(({ key, code, product }) => (
        <li className="tw-chip" key={key}>
          <span className="tw-chip-text">
            <Code bare to={`/serial/${key}`}>
              {code}
            </Code>{' '}
            {product}
          </span>
          <Remove name={code} onClick={() => suspects.remove([key])} />
        </li>
      ))}
      {keys.length > NAMED && <li>{t('trace.recall.more', { count: keys.length - NAMED })}</li>}
    </ul>
  )
}

function Remove({ name, onClick }: { name: string; onClick: () => void }) {
  const t = useText()
  return (
    <button type="button" aria-label={t('trace.recall.remove', { name })} onClick={onClick}>
      <Icon name="cross" size={12} />
    </button>
  )
}
