import { serviceNow } from '@/clock'
import { useFormats, useText } from '@/i18n'
import { isToday } from '../logic/today'

/** A text with the time of day, and with its day unless that is today. */
export function useSince() {
  const t = useText()
  const formats = useFormats()
  return (key: 'panel.paused.at' | 'panel.paused.offline' | 'panel.timer.session', at: string): string =>
    isToday(at, serviceNow()) ? t(key, { time: formats.time(at) }) : t(`${key}.day`, { time: formats.dateTime(at) })
}
