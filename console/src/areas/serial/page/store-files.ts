import type { QueryClient } from '@tanstack/react-query'
import type { Schemas } from '@/api'
import { newIdempotencyKey, send } from '@/api'

/** Stores files of a unit; `subfolder` is the key of the form field they belong to, or empty. */
export async function storeFiles(
  serialKey: string,
  subfolder: string,
  files: readonly File[],
): Promise<Schemas['FileEntry'][]> {
  const body = new FormData()
  body.set('bucket', 'serial')
  body.set('object_key', serialKey)
  body.set('subfolder', subfolder)
  for (const file of files) body.append('contents', file)
  const headers = { 'Idempotency-Key': newIdempotencyKey() }
  const response = await send(new Request('/api/files', { method: 'POST', body, headers }))
  const answer = (await response.json()) as { detail: Schemas['FileEntry'][] }
  return answer.detail
}

/** Reads again what files of a unit change: no notice tells of them. */
export async function filesStored(client: QueryClient, serialKey: string): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: ['serial'] }),
    client.invalidateQueries({ queryKey: ['home', 'record', serialKey] }),
  ])
}
