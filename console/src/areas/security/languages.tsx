import { LOCALES, useLocale, useText } from '@/i18n'

const names = { en: 'English', it: 'Italiano' }

/** Before anybody is signed in, the language is chosen here; each in its own words. */
export function Languages() {
  const t = useText()
  const { locale, setLocale } = useLocale()
  return (
    <fieldset className="tw-sign-languages">
      <legend className="tw-hidden">{t('frame.user.language')}</legend>
      {LOCALES.map((one) => (
        <button type="button" key={one} lang={one} aria-pressed={one === locale} onClick={() => void setLocale(one)}>
          {names[one]}
        </button>
      ))}
    </fieldset>
  )
}
