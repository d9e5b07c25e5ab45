/*
 * Files come by plain links: the session cookie goes with them, so images, PDFs and downloads need no script.
 */

import { send } from './client'

/** The address of a stored file, as records name it (`/media/…`), or null. Anything that is not a path of this service is dropped. */
export function mediaUrl(path: unknown): string | null {
  return typeof path === 'string' && /^\/(api\/)?media\/[^/]/.test(path) ? path : null
}

function nameIn(disposition: string | null): string | null {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1]
  if (encoded) return decodeURIComponent(encoded)
  return /filename="([^"]+)"/i.exec(disposition ?? '')?.[1] ?? null
}

/** Hands a file that was made here to the browser. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** Fetches a file and saves it; throws an `ApiFailure` with the words of the service if there is none, where a link would open a page
 * of JSON. */
export async function downloadFile(path: string, fallbackName: string, init?: RequestInit): Promise<void> {
  const response = await send(new Request(`/api${path}`, init))
  saveFile(await response.blob(), nameIn(response.headers.get('Content-Disposition')) ?? fallbackName)
}
