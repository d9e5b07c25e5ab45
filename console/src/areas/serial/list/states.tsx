import { useQueries } from '@tanstack/react-query'
import { api, pageOf } from '@/api'
import { useFormats, useText } from '@/i18n'
import { Icon } from '@/ui/icons'
import { lookOf, wordOf } from '@/ui/states'
import { type ListSearch, listQuery, STATES, type State } from './search'

/** How many units the other filters leave in each state. */
function useStateCounts(search: ListSearch): ReadonlyMap<State, number> {
  const { state: _state, sort: _sort, dir: _dir, ...filters } = search
  const states = STATES.filter((state) => state !== 'deleted' || search.deleted || search.state === 'deleted')
  const counts = useQueries({
    queries: states.map((state) => ({
      queryKey: ['serial', 'count', state, filters],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const query = { ...listQuery({ ...filters, state }), limit: 1, count: true }
        const { total } = await pageOf(0, api.GET('/serial', { params: { query }, signal }))
        return total ?? 0
      },
    })),
  })
  return new Map(states.flatMap((state, at) => (counts[at]?.data === undefined ? [] : [[state, counts[at].data]])))
}

interface StateTabsProps {
  readonly search: ListSearch
  readonly onChoose: (state: State | undefined) => void
}

/** Where the units are in their life, in numbers; a click shows those of one state. Shipped ones count as released: the service tells no difference. */
export function StateTabs({ search, onChoose }: StateTabsProps) {
  const t = useText()
  const word = t as (key: string) => string
  const formats = useFormats()
  const counts = useStateCounts(search)
  const shown = STATES.filter((state) => (counts.get(state) ?? 0) > 0 || search.state === state)
  return (
    <fieldset className="tw-states" aria-label={t('serials.states')}>
      {shown.map((state) => {
        const { tone, icon } = lookOf('serial', state)
        const chosen = search.state === state
        return (
          <button
            key={state}
            type="button"
            aria-pressed={chosen}
            onClick={() => onChoose(chosen ? undefined : state)}
            className="tw-mark"
            data-tone={tone}
          >
            <Icon name={icon} size={14} />
            <span>{state === 'released' ? t('serials.states.released') : word(wordOf('serial', state))}</span>
            <b>{counts.has(state) ? formats.number(counts.get(state) ?? 0) : '…'}</b>
          </button>
        )
      })}
    </fieldset>
  )
}
