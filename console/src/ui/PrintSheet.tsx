import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFormats, useText } from '@/i18n'
import { Icon } from './icons'
import './print.css'

interface PrintSheetProps {
  /** Heads the sheet. */
  readonly title: string
  /** The line below: what it is, in what state. */
  readonly subtitle?: string
  readonly children: ReactNode
}

/** What is printed of a page, and only then seen. Without one, a page prints as it is, without bars and buttons. */
export function PrintSheet({ title, subtitle, children }: PrintSheetProps) {
  const t = useText()
  const formats = useFormats()
  return (
    <div className="tw-sheet">
      <header>
        <h1>{title}</h1>
        {subtitle && <p>{subtitle}</p>}
        <p className="tw-sheet-time">{t('ui.printed', { time: formats.dateTime(new Date()) })}</p>
      </header>
      {children}
    </div>
  )
}

interface PrintButtonProps {
  readonly loading?: boolean
  /** What comes before it is printed is done here, too. */
  readonly onClick?: () => void
}

/** Prints the page. */
export function PrintButton({ loading = false, onClick = () => window.print() }: PrintButtonProps) {
  const t = useText()
  return (
    <Button
      variant="default"
      className="tw-no-print"
      leftSection={<Icon name="print" />}
      loading={loading}
      onClick={onClick}
    >
      {t('ui.print')}
    </Button>
  )
}
