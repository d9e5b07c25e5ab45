import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { fullName, useSession } from '@/session'
import { peopleQuery } from './queries'

export interface Person {
  readonly _key: string
  readonly username: string
  readonly name: string | null
  readonly surname: string | null
  readonly scope: string
  readonly active: boolean
}

/** Those who can be given a job. */
export function operatorsAmong(people: readonly Person[]): Person[] {
  return people.filter(({ active, scope }) => active && scope.split(' ').includes('operator'))
}

const NOBODY: readonly Person[] = []

/** Names by key, and the operators; without the right to see users, none. */
export function usePeople() {
  const { can } = useSession()
  const { data = NOBODY } = useQuery({ ...peopleQuery, enabled: can('org:user:read') })
  const people: readonly Person[] = data
  const nameOf = useCallback(
    (key: string | null): string | undefined => {
      const person = people.find(({ _key }) => _key === key)
      return person && fullName(person)
    },
    [people],
  )
  return { nameOf, operators: operatorsAmong(people) }
}
