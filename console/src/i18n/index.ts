export type { Formats, Text } from './provider'
export { firstLocale, TextProvider, useFormats, useLocale, useRich, useText } from './provider'
export type { Locale, TextKey, TextValue } from './text'
export { chooseLocale, isLocale, LOCALES, loadAreaTexts, loadLocale } from './text'
