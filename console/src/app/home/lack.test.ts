import { beforeAll, expect, it } from 'vitest'
import type { Text } from '@/i18n'
import { fill, loadLocale } from '@/i18n/text'
import { lackText } from './lack'

const t = ((key, ...[values]) => fill('it', key, values as Record<string, string>)) as Text
const unit = { _key: 'u' }

beforeAll(() => loadLocale('it'))

it('says what a record lacks in the language of the page', () => {
  const message = 'a component is missing'
  const part = { kind: 'component_missing', message, product_code: 'PM-4', quantity: 2 } as const
  expect(lackText(t, unit, part, [])).toBe('Mancano 2 PM-4.')
  expect(lackText(t, unit, { ...part, quantity: 1, parent_serial_key: 'u' }, [])).toBe('Manca 1 PM-4.')
  expect(lackText(t, unit, { ...part, parent_serial_key: 'x' }, [])).toMatch(/^Mancano 2 PM-4 in /)
})

it('names an open issue by its title, or by its type', () => {
  const issue = { kind: 'issue_open', message: 'open', issue_key: 'i', issue_type_name: 'Misura' } as const
  expect(lackText(t, unit, issue, [{ issue_key: 'i', title: 'Coppia bassa' }])).toMatch(/: Coppia bassa$/)
  expect(lackText(t, unit, issue, [])).toMatch(/: Misura$/)
})
