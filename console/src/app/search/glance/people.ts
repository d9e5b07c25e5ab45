import { useQuery } from '@tanstack/react-query'
import { api, detail } from '@/api'
import { fullName, useSession } from '@/session'

/** The name of somebody by key; nothing for those who may not see users, since keys are never shown. */
export function usePeople(): (key: string | null | undefined) => string | undefined {
  const { can } = useSession()
  const { data } = useQuery({
    queryKey: ['user', 'names'],
    queryFn: ({ signal }) =>
      detail(api.GET('/user', { params: { query: { active_only: false, limit: 5000 } }, signal })),
    enabled: can('org:user:read'),
    staleTime: 300_000,
  })
  return (key) => {
    const person = data?.find(({ _key }) => _key === key)
    return person && fullName(person)
  }
}
