import { useEffect, useRef } from 'react'
import { useText } from '@/i18n'
import './Empty.css'
import { focusField, type ShownFault } from './fault-paths'
import { Icon } from './icons'

interface FaultsProps {
  readonly faults: readonly ShownFault[]
  /** What refused, if it names no field. */
  readonly message?: string | undefined
  /** The name of a field that people know, for a path. */
  readonly nameOf?: (path: string) => string | undefined
  /** Goes to a field; otherwise the control with that `data-path` is focused. */
  readonly onGo?: (path: string) => void
}

/** All faults of a form or batch at once; a click leads to the field. It takes the focus when faults appear. */
export function Faults({ faults, message, nameOf, onGo = focusField }: FaultsProps) {
  const t = useText()
  const box = useRef<HTMLDivElement>(null)
  const shown = faults.length > 0 || Boolean(message)
  useEffect(() => {
    if (shown) box.current?.focus()
  }, [shown])
  if (!shown) return null
  return (
    <div className="tw-faults" role="alert" tabIndex={-1} ref={box}>
      <p className="tw-faults-title">
        <Icon name="critical" />
        {faults.length > 0 ? t('ui.faults.title', { count: faults.length }) : message}
      </p>
      {faults.length > 0 && (
        <ul>
          {faults.map((fault) => (
            <li key={`${fault.path} ${fault.message}`}>
              <FaultLine fault={fault} name={nameOf?.(fault.path)} onGo={onGo} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function FaultLine(props: { fault: ShownFault; name: string | undefined; onGo: (path: string) => void }) {
  const { fault, name, onGo } = props
  const words = (
    <>
      {name && <b>{name}: </b>}
      {fault.message}
    </>
  )
  if (fault.path === '') return <span>{words}</span>
  return (
    <button type="button" onClick={() => onGo(fault.path)}>
      {words}
    </button>
  )
}
