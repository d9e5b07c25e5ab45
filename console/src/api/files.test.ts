import { expect, it } from 'vitest'
import { mediaUrl } from './files'

it('links only to files of this service', () => {
  expect(mediaUrl('/media/config/company_logo/a.png')).toBe('/media/config/company_logo/a.png')
  expect(mediaUrl('/api/media/0c9qk1tm40000')).toBe('/api/media/0c9qk1tm40000')
  for (const other of ['https://x/media/a', '//x/media/a', '/media//x', 'javascript:alert(1)', null, undefined, 5]) {
    expect(mediaUrl(other), String(other)).toBeNull()
  }
})
