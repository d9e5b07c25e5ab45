import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { api, type Page, type PageRequest, pageOf } from '@/api'
import { withShipped } from '@/areas/trace/shipped'
import { useText } from '@/i18n'
import { useLive } from '@/live'
import { useSession } from '@/session'
import { DataTable, type Sort } from '@/ui/DataTable'
import { Empty } from '@/ui/Empty'
import { type Filter, Filters, type FilterValues } from '@/ui/Filters'
import { PageHead } from '@/ui/PageHead'
import { type Unit, unitPage, useColumns } from './columns'
import { serialListRoute } from './route'
import { isFiltered, type ListSearch, listQuery, readListSearch, sortOf, sortSearch } from './search'
import { StateTabs } from './states'
import './list.css'

const rowKey = (row: Unit) => row._key

function useFilters(): readonly Filter[] {
  const t = useText()
  return useMemo(
    () => [
      { kind: 'text', id: 'product', label: t('serials.filter.product') },
      { kind: 'text', id: 'order', label: t('serials.filter.order') },
      { kind: 'text', id: 'project', label: t('serials.filter.project') },
      { kind: 'text', id: 'contains', label: t('serials.filter.contains') },
      { kind: 'text', id: 'within', label: t('serials.filter.within') },
      {
        kind: 'dates',
        id: 'created',
        label: t('serials.filter.created'),
        from: 'created_from',
        to: 'created_to',
      },
      {
        kind: 'dates',
        id: 'released',
        label: t('serials.filter.released'),
        from: 'released_from',
        to: 'released_to',
      },
      { kind: 'flag', id: 'deleted', label: t('serials.filter.deleted') },
    ],
    [t],
  )
}

/** Changes the address, and nothing else: the page follows it. */
function useSearchChange() {
  const navigate = useNavigate()
  return useCallback(
    (changes: Partial<ListSearch> | FilterValues) =>
      void navigate({
        to: '/serial',
        search: (old) => readListSearch({ ...old, ...changes }),
        replace: true,
      }),
    [navigate],
  )
}

function useSource(search: ListSearch) {
  const mayTrace = useSession().can('trace:read')
  return useMemo(() => {
    const query = listQuery(search)
    const fetchPage = async ({ limit, offset, count, signal }: PageRequest): Promise<Page<Unit>> => {
      const page = await pageOf(
        offset,
        api.GET('/serial', { params: { query: { ...query, limit, offset, count } }, signal }),
      )
      return mayTrace ? { ...page, rows: await withShipped(page.rows, signal) } : page
    }
    return { queryKey: ['serial', 'list', query] as const, fetchPage }
  }, [search, mayTrace])
}

function None({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const t = useText()
  if (!filtered) {
    return (
      <Empty icon="serial" title={t('serials.none')}>
        {t('serials.none.text')}
      </Empty>
    )
  }
  return (
    <Empty
      icon="filter"
      title={t('serials.noMatch')}
      action={
        <Button variant="default" onClick={onClear}>
          {t('serials.noMatch.clear')}
        </Button>
      }
    >
      {t('serials.noMatch.text')}
    </Empty>
  )
}

/** All units: found by code, state, product, order, time, and by what they contain or are in. */
export default function SerialListPage() {
  const t = useText()
  const search = serialListRoute.useSearch()
  const change = useSearchChange()
  const columns = useColumns()
  const filters = useFilters()
  const source = useSource(search)
  const sort = useMemo(() => sortOf(search), [search])
  const onSort = useCallback((next: Sort | undefined) => change(sortSearch(next)), [change])
  useLive(['serial'])
  const { deleted, ...others } = search
  const values: FilterValues = { ...others, deleted }
  return (
    <>
      <PageHead title={t('pages.serials')} />
      <StateTabs search={search} onChoose={(state) => change({ state })} />
      <DataTable
        name="serials"
        file={t('serials.file')}
        label={t('pages.serials')}
        columns={columns}
        rowKey={rowKey}
        source={source}
        sort={sort}
        onSort={onSort}
        to={unitPage}
        empty={
          <None
            filtered={isFiltered(search)}
            onClear={() =>
              change({ ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])), sort: search.sort })
            }
          />
        }
      >
        <Filters search="code" searchLabel={t('serials.search')} filters={filters} values={values} onChange={change} />
      </DataTable>
    </>
  )
}
