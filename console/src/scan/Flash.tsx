import { useEffect, useState } from 'react'
import { Icon, type IconName } from '@/ui/icons'
import type { Tone } from './tone'
import './scan.css'

export interface Signal {
  readonly tone: Tone
  readonly text: string
  /** Only heard: the words are on the page already. */
  readonly heard?: boolean | undefined
}

const ICONS: Readonly<Record<Tone, IconName>> = { good: 'done', bad: 'critical', neutral: 'info' }
const EDGES = ['top', 'right', 'bottom', 'left']
/** How long the words stay: longer if something went wrong. */
const STAYS: Readonly<Record<Tone, number>> = { good: 2500, bad: 7000, neutral: 4000 }

/** The answer to a scan: the edge of the page lights up, and the words stand below; screen readers hear them. */
export function Flash({ signal }: { signal: (Signal & { at: number }) | undefined }) {
  const [over, setOver] = useState<number>()
  useEffect(() => {
    if (signal === undefined) return
    const timer = setTimeout(() => setOver(signal.at), STAYS[signal.tone])
    return () => clearTimeout(timer)
  }, [signal])
  const shown = signal !== undefined && over !== signal.at ? signal : undefined
  return (
    <>
      {signal && (
        <div key={signal.at} className="tw-flash" data-tone={signal.tone} aria-hidden="true">
          {EDGES.map((edge) => (
            <i key={edge} data-edge={edge} />
          ))}
        </div>
      )}
      <div
        className="tw-flash-words"
        data-tone={shown?.tone}
        data-heard={shown?.heard || undefined}
        aria-live="assertive"
      >
        {shown && (
          <>
            <Icon name={ICONS[shown.tone]} size={18} />
            <span>{shown.text}</span>
          </>
        )}
      </div>
    </>
  )
}
