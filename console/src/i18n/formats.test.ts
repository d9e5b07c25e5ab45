import { afterEach, describe, expect, it, vi } from 'vitest'
import * as formats from './formats'

const NOW = new Date('2026-11-17T12:00:00Z')
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')

describe('exact decimals', () => {
  it('keep every digit', () => {
    expect(formats.formatDecimal('en-GB', '123456789012.123456')).toBe('123,456,789,012.123456')
    expect(formats.formatDecimal('it-IT', '999999999999.999999')).toBe('999.999.999.999,999999')
    expect(formats.formatDecimal('en-GB', '0.1')).toBe('0.1')
    expect(formats.formatDecimal('en-GB', '123456789012345.123456789012')).toBe('123,456,789,012,345.123456789012')
  })

  it('take negative ones, exponents and what is no number', () => {
    expect(formats.formatDecimal('en-GB', '-5')).toBe('-5')
    expect(formats.formatDecimal('en-GB', 1e-7)).toBe('0.0000001')
    expect(formats.formatDecimal('en-GB', 'n/a')).toBe('n/a')
  })
})

describe('shares', () => {
  it('reach 100 % only when all is done', () => {
    expect(formats.formatShare('en-GB', 0.999)).toBe('99%')
    expect(formats.formatShare('en-GB', 1)).toBe('100%')
  })
})

describe('times', () => {
  afterEach(() => void vi.unstubAllEnvs())

  it('count days by the calendar', () => {
    vi.stubEnv('TZ', 'UTC')
    const at = (time: string, now: string) => formats.formatRelative('en-GB', time, new Date(now))
    expect(at('2026-11-17T22:00:00Z', '2026-11-19T09:00:00Z')).toBe('2 days ago')
    expect(at('2026-11-18T11:30:00Z', '2026-11-19T09:00:00Z')).toBe('yesterday')
    expect(at('2026-11-18T11:30:00Z', '2026-11-19T08:30:00Z')).toBe('21 hours ago')
    expect(at('2026-11-19T00:30:00Z', '2026-11-19T23:30:00Z')).toBe('23 hours ago')
    expect(at('2026-11-20T22:00:00Z', '2026-11-19T21:00:00Z')).toBe('tomorrow')
    vi.stubEnv('TZ', 'America/New_York')
    expect(at('2026-11-18T04:30:00Z', '2026-11-19T03:30:00Z')).toBe('yesterday')
  })

  it('are relative', () => {
    vi.stubEnv('TZ', 'UTC')
    const ago = (ms: number) => formats.formatRelative('en-GB', new Date(NOW.getTime() - ms), NOW)
    expect(ago(5_000)).toBe('now')
    expect(ago(50_000)).toBe('1 minute ago')
    expect(ago(3 * 3_600_000)).toBe('3 hours ago')
    expect(ago(26 * 3_600_000)).toBe('yesterday')
    expect(ago(-26 * 3_600_000)).toBe('tomorrow')
    expect(ago(70 * 86_400_000)).toBe('2 months ago')
    expect(formats.formatRelative('it-IT', '2026-11-17T11:57:00Z', NOW)).toBe('3 minuti fa')
  })

  it('keep a bare date on its day in every zone', () => {
    expect(formats.formatDate('en-GB', '2026-11-05', 'America/Los_Angeles')).toBe('5 Nov 2026')
    expect(formats.formatDate('it-IT', '2026-11-05', 'Asia/Tokyo')).toBe('5 nov 2026')
  })

  it('are exact on demand', () => {
    const exact = formats.formatExact('en-GB', '2026-11-05T13:05:09Z', 'Europe/Rome')
    expect(exact).toContain('5 November 2026')
    expect(exact).toContain('14:05:09 (UTC+01:00)')
    expect(formats.formatExact('it-IT', '2026-11-05', 'Europe/Rome')).toBe('giovedì 5 novembre 2026')
    expect(formats.formatExact('en-GB', 'soon')).toBe('soon')
  })

  it('have the offset of that day', () => {
    expect(formats.offsetOf('2026-07-05T13:05:09Z', 'Europe/Rome')).toBe('UTC+02:00')
    expect(formats.offsetOf('2026-11-05T13:05:09Z', 'America/St_Johns')).toBe('UTC-03:30')
    expect(formats.offsetOf('2026-11-05T13:05:09Z', 'UTC')).toBe('UTC+00:00')
  })

  it('show what is no time as it is', () => {
    expect(formats.formatDate('en-GB', 'soon')).toBe('soon')
    expect(formats.formatRelative('en-GB', 'soon', NOW)).toBe('soon')
  })
})

describe('durations', () => {
  it('use their two largest units', () => {
    const show = (ms: number) => plain(formats.formatDuration('en-GB', ms))
    expect(show(0)).toBe('0s')
    expect(show(45_000)).toBe('45s')
    expect(show(200_000)).toBe('3m 20s')
    expect(show(2 * 3_600_000)).toBe('2h')
    expect(show(45 * 60_000)).toBe('45 mins')
    expect(plain(formats.formatDuration('it-IT', 45 * 60_000))).toBe('45 min')
    expect(show(3 * 86_400_000 + 4 * 3_600_000)).toBe('3d 4h')
  })

  it('run as a clock', () => {
    expect(formats.formatClock(7_900)).toBe('0:07')
    expect(formats.formatClock(12 * 60_000 + 45_000)).toBe('12:45')
    expect(formats.formatClock(3 * 3_600_000 + 131_000)).toBe('3:02:11')
  })
})

describe('others', () => {
  it('write sizes and signs', () => {
    expect(plain(formats.formatBytes('en-GB', 3_440_000))).toBe('3.4 MB')
    expect(plain(formats.formatBytes('en-GB', 687))).toBe('687 bytes')
    expect(plain(formats.formatBytes('it-IT', 687))).toBe('687 byte')
    expect(formats.decimalSign('it-IT')).toBe(',')
    expect(formats.localeOf('en', ['it-IT', 'en-US'])).toBe('en-US')
    expect(formats.localeOf('it', ['en-US'])).toBe('it-IT')
  })
})
