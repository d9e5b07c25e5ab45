import { Menu } from '@mantine/core'
import { useState } from 'react'
import { LOCALES, useLocale, useText } from '@/i18n'
import { fullName, type Preferences, savePreferences, sessionStore, useSession } from '@/session'
import { failureWords } from '@/ui/failure-words'
import { Icon } from '@/ui/icons'
import { UserButton } from './user-button'

const languages = { en: 'English', it: 'Italiano' }
const themes = ['light', 'dark'] as const

/** It comes when somebody opens it. */
export default function UserMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const t = useText()
  const session = useSession()
  const { locale } = useLocale()
  const [notice, setNotice] = useState('')
  const name = fullName(session)
  const sound = session.preferences.sound !== false
  // Who has chosen none has the one of the browser.
  const shown = session.preferences.theme ?? document.documentElement.dataset.mantineColorScheme

  const save = (change: Preferences) => {
    setNotice('')
    savePreferences(change).catch((error) => setNotice(t('frame.user.notSaved', { message: failureWords(t, error) })))
  }
  const signOut = () => {
    setNotice('')
    sessionStore.signOut().catch(() => setNotice(t('frame.user.signOutFailed')))
  }

  return (
    <div className="tw-user">
      {notice !== '' && <p role="alert">{notice}</p>}
      <Menu defaultOpened>
        <Menu.Target>
          <UserButton />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{name === session.username ? name : `${name} (${session.username})`}</Menu.Label>
          <Menu.Divider />
          <Menu.Label>{t('frame.user.theme')}</Menu.Label>
          {themes.map((theme) => (
            <Menu.Item
              key={theme}
              leftSection={<Icon name={theme === 'light' ? 'sun' : 'moon'} />}
              rightSection={shown === theme ? <Icon name="check" /> : null}
              onClick={() => save({ theme })}
            >
              {t(`frame.user.${theme}`)}
            </Menu.Item>
          ))}
          <Menu.Label>{t('frame.user.language')}</Menu.Label>
          {LOCALES.map((one) => (
            <Menu.Item
              key={one}
              lang={one}
              leftSection={<Icon name="globe" />}
              rightSection={one === locale ? <Icon name="check" /> : null}
              onClick={() => save({ locale: one })}
            >
              {languages[one]}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item
            role="menuitemcheckbox"
            aria-checked={sound}
            leftSection={<Icon name="sound" />}
            rightSection={sound ? <Icon name="check" /> : null}
            onClick={() => save({ sound: !sound })}
          >
            {t('scan.sound')}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="keyboard" />} rightSection={<kbd>?</kbd>} onClick={onShortcuts}>
            {t('frame.user.shortcuts')}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="leave" />} onClick={signOut}>
            {t('frame.user.signOut')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}
