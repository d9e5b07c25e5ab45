import { Button, Checkbox, Textarea } from '@mantine/core'
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react'
import { api, bare } from '@/api'
import { useText } from '@/i18n'
import { useSession } from '@/session'
import { Dialog } from '@/ui/Dialog'
import { failureWords } from '@/ui/failure-words'
import { ProductPick } from './CriteriaDialog'
import { codesIn } from './codes'
import { type Ask, type Looked, lookUp } from './lookup'

interface PasteDialogProps {
  /** With the codes that no unit has. */
  readonly onAdd: (keys: readonly string[], missing: readonly string[]) => void
  readonly onClose: () => void
}

function asker(product: string | undefined): Ask {
  return async (code, signal) => {
    const query = { serial_code: code, ...(product === undefined ? {} : { product_key: product }) }
    const found = await bare(api.GET('/serial-code', { params: { query }, signal }))
    return found.map((unit) => ({ key: unit._key, code: unit.code ?? code, product: unit.product_key }))
  }
}

/** Suspects from a list of codes: pasted, looked up one by one, and added together. */
export function PasteDialog({ onAdd, onClose }: PasteDialogProps) {
  const t = useText()
  const { can } = useSession()
  const [text, setText] = useState('')
  const [product, setProduct] = useState<string>()
  const codes = useMemo(() => codesIn(text, window.location.origin), [text])
  const look = useLooking()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (codes.length > 0) void look.run(codes, asker(product))
  }
  return (
    <Dialog onClose={onClose} title={t('trace.recall.paste.title')} size="lg">
      <form className="tw-recall-form" onSubmit={submit}>
        <Textarea
          label={t('trace.recall.paste.label')}
          description={t('trace.recall.paste.hint')}
          rows={8}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            look.forget()
          }}
          spellCheck={false}
          data-autofocus
          styles={{ input: { fontFamily: 'var(--tw-mono)' } }}
        />
        {can('product:catalogue:read') && (
          <ProductPick
            label={t('trace.recall.paste.product')}
            value={product}
            onChange={(next) => {
              setProduct(next)
              look.forget()
            }}
          />
        )}
        {look.fault !== undefined && (
          <p className="tw-recall-fault" role="alert">
            {look.fault}
          </p>
        )}
        {look.looked ? (
          <Outcome
            looked={look.looked}
            onAdd={(keys) => {
              onAdd(keys, look.looked?.unknown ?? [])
              onClose()
            }}
          />
        ) : (
          <div className="tw-recall-buttons">
            <span className="tw-recall-count" role="status">
              {look.done === undefined
                ? t('trace.recall.paste.count', { count: codes.length })
                : t('trace.recall.paste.looking', { done: look.done, total: codes.length })}
            </span>
            <Button variant="default" onClick={onClose}>
              {t('ui.cancel')}
            </Button>
            <Button type="submit" disabled={codes.length === 0} loading={look.done !== undefined}>
              {t('trace.recall.paste.look')}
            </Button>
          </div>
        )}
      </form>
    </Dialog>
  )
}

/** A search for many codes: how far it is, and what it found. */
function useLooking() {
  const t = useText()
  const [done, setDone] = useState<number>()
  const [looked, setLooked] = useState<Looked>()
  const [fault, setFault] = useState<string>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const forget = () => {
    running.current?.abort()
    setDone(undefined)
    setLooked(undefined)
    setFault(undefined)
  }
  const run = async (codes: readonly string[], ask: Ask) => {
    forget()
    const control = new AbortController()
    running.current = control
    setDone(0)
    try {
      const found = await lookUp(codes, ask, control.signal, setDone)
      setLooked(found)
      setDone(undefined)
    } catch (error) {
      if (control.signal.aborted) return
      control.abort()
      setDone(undefined)
      setFault(failureWords(t, error))
    }
  }
  return { done, looked, fault, forget, run }
}

function Outcome({ looked, onAdd }: { looked: Looked; onAdd: (keys: readonly string[]) => void }) {
  const t = useText()
  const [all, setAll] = useState(true)
  const { found, several, unknown } = looked
  const ambiguous = several.flatMap(({ units }) => units)
  const keys = [...found, ...(all ? ambiguous : [])].map(({ key }) => key)
  return (
    <>
      <div className="tw-recall-outcome" role="status">
        <p>
          <b>{t('trace.recall.paste.found', { count: found.length })}</b>
        </p>
        <Missing codes={unknown} />
        {several.length > 0 && (
          <div>
            <p>{t('trace.recall.paste.several', { count: several.length })}</p>
            <Codes codes={several.map(({ code }) => code)} />
            <Checkbox
              label={t('trace.recall.paste.all')}
              checked={all}
              onChange={({ currentTarget: { checked } }) => setAll(checked)}
            />
          </div>
        )}
      </div>
      <div className="tw-recall-buttons">
        <Button onClick={() => onAdd(keys)} disabled={keys.length === 0}>
          {t('trace.recall.paste.add', { count: keys.length })}
        </Button>
      </div>
    </>
  )
}

/** Codes that no unit has. */
export function Missing({ codes }: { codes: readonly string[] }) {
  const t = useText()
  if (codes.length === 0) return null
  return (
    <div className="tw-recall-missing">
      <p>{t('trace.recall.paste.unknown', { count: codes.length })}</p>
      <Codes codes={codes} />
    </div>
  )
}

/** Codes that need a look; all of them, to be copied. */
function Codes({ codes }: { codes: readonly string[] }) {
  return <p className="tw-recall-codes">{codes.join(', ')}</p>
}
