import { Fragment, type ReactNode } from 'react'
import type { Text, TextKey } from '@/i18n'
import { useRich, useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { unitAddress } from './address'
import type { Field } from './model/past'
import type { EnteredValue, Line, Slot } from './model/words'
import { ShownValue } from './shown-value'
import type { UnitView } from './view'

/** More units than this are counted. */
const NAMED = 8

type LooseRich = (key: TextKey, values: Record<string, ReactNode>) => ReactNode
type LooseText = (key: TextKey, values: Record<string, string | number>) => string

/** A line of what happened, with links to the units it names. */
export function HappeningLine({ line, view }: { line: Line; view: UnitView }) {
  const rich = useRich() as unknown as LooseRich
  const values = Object.fromEntries(
    Object.entries(line.slots).map(([name, slot]) => [name, <Shown key={name} slot={slot} view={view} />]),
  )
  return (
    <>
      {rich(line.key, values)}
      {line.values && (
        <>
          {' '}
          <Entered values={line.values} fields={view.fields} />
        </>
      )}
    </>
  )
}

function Shown({ slot, view }: { slot: Slot; view: UnitView }) {
  const t = useText()
  if ('text' in slot) return <span>{slot.text}</span>
  const shown = slot.units.slice(0, NAMED)
  const more = slot.units.length - shown.length
  return (
    <>
      {shown.map((key, at) => (
        <Fragment key={key}>
          {at > 0 && ', '}
          <Code bare to={unitAddress(key, view.asOf)}>
            {view.codes.get(key) ?? t('lack.aUnit')}
          </Code>
        </Fragment>
      ))}
      {more > 0 && <> {t('serial.andMore', { count: more })}</>}
    </>
  )
}

function fieldFor(entry: EnteredValue, fields: readonly Field[]): Field | undefined {
  return (
    fields.find(({ form_field_key: key }) => key !== null && key === entry.form_field_key) ??
    fields.find(({ custom_field_key: key }) => key !== null && key === entry.custom_field_key)
  )
}

function Entered({ values, fields }: { values: readonly EnteredValue[]; fields: readonly Field[] }) {
  const t = useText()
  return (
    <>
      {values.map((entry, at) => {
        const field = fieldFor(entry, fields)
        return (
          <Fragment key={`${entry.form_field_key} ${entry.custom_field_key}`}>
            {at > 0 && '; '}
            {field?.label ?? t('serial.aField')}{' '}
            <b className="tw-unit-value">
              <ShownValue kind={field?.field_type ?? null} value={entry.value} />
            </b>
          </Fragment>
        )
      })}
    </>
  )
}

/** The same line as plain text, for tips and screen readers. */
export function lineText(t: Text, line: Line, codes: ReadonlyMap<string, string>): string {
  const say = t as unknown as LooseText
  const values = Object.fromEntries(
    Object.entries(line.slots).map(([name, slot]) => [
      name,
      'text' in slot ? slot.text : slot.units.map((key) => codes.get(key) ?? t('lack.aUnit')).join(', '),
    ]),
  )
  return say(line.key, values)
}
