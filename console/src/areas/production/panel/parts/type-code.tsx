import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useText } from '@/i18n'
import { useScanner } from '@/scan'
import { Icon } from '@/ui/icons'
import { Dialog } from './dialog'

/** For labels that can't be read: what is typed counts as if it had been scanned. */
export function TypeCode() {
  const t = useText()
  const { scan } = useScanner()
  const [opened, setOpened] = useState(false)
  const [code, setCode] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (code.trim() === '') return
    setOpened(false)
    setCode('')
    void scan(code)
  }
  return (
    <>
      <button
        type="button"
        className="pn-type"
        aria-label={t('panel.type.open')}
        title={t('panel.type.open')}
        onClick={() => setOpened(true)}
      >
        <Icon name="keyboard" size={24} />
        <span>{t('panel.type.open')}</span>
      </button>
      <Dialog opened={opened} onClose={() => setOpened(false)} title={t('panel.type.title')} takesScans>
        <form onSubmit={submit}>
          <TextInput
            label={t('panel.type.code')}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            data-autofocus
            data-scan="type"
          />
          <Button type="submit">{t('panel.type.enter')}</Button>
        </form>
      </Dialog>
    </>
  )
}
