import { queryOptions } from '@tanstack/react-query'
import { detail, plainApi } from '@/api/client'
import { mediaUrl } from '@/api/files'

export interface Company {
  name: string
  logo: string | null
}

/** Name and logo, as the public configuration has them. */
export function companyOf(config: Record<string, unknown>): Company {
  const name = config.company_name
  return { name: typeof name === 'string' && name !== '' ? name : 'Tracewright', logo: mediaUrl(config.company_logo) }
}

export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => detail(plainApi.GET('/config', { signal })),
  staleTime: 300_000,
})

export const companyQuery = queryOptions({ ...configQuery, select: companyOf })
