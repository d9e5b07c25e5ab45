import { useMantineColorScheme } from '@mantine/core'
import { useEffect } from 'react'
import { isLocale, useLocale } from '@/i18n'
import { useSession } from '@/session'

/** Applies what the user prefers: colours and language. */
export function useTaste(): void {
  const { preferences } = useSession()
  const { setColorScheme } = useMantineColorScheme()
  const { setLocale } = useLocale()
  const { theme, locale } = preferences
  useEffect(() => {
    if (theme === 'light' || theme === 'dark') setColorScheme(theme)
  }, [theme, setColorScheme])
  useEffect(() => {
    if (isLocale(locale)) void setLocale(locale)
  }, [locale, setLocale])
}
