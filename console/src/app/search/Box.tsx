import { type KeyboardEvent, useLayoutEffect, useRef } from 'react'
import { useText } from '@/i18n'
import { Icon } from '@/ui/icons'

interface BoxProps {
  readonly value: string
  readonly onChange: (text: string) => void
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly listId: string
  readonly current: string | undefined
  readonly expanded: boolean
  /** Takes the focus when it appears. */
  readonly focused?: boolean
}

/** The box that everything is searched from; the hits below are walked while the cursor stays here. */
export function Box({ value, onChange, onKeyDown, listId, current, expanded, focused = false }: BoxProps) {
  const t = useText()
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (focused) input.current?.focus()
  }, [focused])
  return (
    <div className="tw-search-box">
      <Icon name="search" size={18} />
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label={t('search.box')}
        aria-expanded={expanded}
        aria-controls={expanded ? listId : undefined}
        aria-activedescendant={expanded ? current : undefined}
        aria-autocomplete="list"
        placeholder={t('search.hint')}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        enterKeyHint="search"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        data-autofocus
      />
      {value !== '' && (
        <button
          type="button"
          className="tw-search-clear"
          aria-label={t('search.clear')}
          onClick={() => {
            onChange('')
            input.current?.focus()
          }}
        >
          <Icon name="cross" />
        </button>
      )}
    </div>
  )
}
