import { QueryClient } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { RECORDS } from '@/app/home/records'
import { filesStored } from './store-files'

it('reads the record of a unit again after a file was stored', async () => {
  const client = new QueryClient()
  const keys = [
    ['serial', 'files', 'b'],
    [...RECORDS, 'a'],
    [...RECORDS, 'b'],
  ]
  for (const key of keys) client.setQueryData(key, {})
  await filesStored(client, 'b')
  expect(keys.map((key) => client.getQueryState(key)?.isInvalidated)).toEqual([true, false, true])
})
