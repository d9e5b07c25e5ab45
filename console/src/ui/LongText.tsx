import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useText } from '@/i18n'
import { linesOf, opening } from './long-text'
import './LongText.css'

interface ShowAllProps {
  readonly open: boolean
  readonly onToggle: () => void
}

export function ShowAll({ open, onToggle }: ShowAllProps) {
  const t = useText()
  return (
    <Button variant="subtle" size="compact-sm" aria-expanded={open} onClick={onToggle}>
      {open ? t('ui.showLess') : t('ui.showAll')}
    </Button>
  )
}

interface FoldedProps {
  readonly text: string
  /** How many letters are shown at first. */
  readonly most: number
  readonly children: (shown: string) => ReactNode
}

/** The beginning of a long text, and the whole of it when somebody asks. */
export function Folded({ text, most, children }: FoldedProps) {
  const [open, setOpen] = useState(false)
  const begin = opening(text, most)
  if (begin === null) return children(text)
  return (
    <>
      {children(open ? text : `${begin}…`)}
      <ShowAll open={open} onToggle={() => setOpen(!open)} />
    </>
  )
}

/** A plain text as somebody wrote it, line by line. */
export function LongText({ text }: { text: string }) {
  return (
    <Folded text={text} most={1_200}>
      {(shown) => <p className="tw-long">{linesOf(shown).join('\n')}</p>}
    </Folded>
  )
}
