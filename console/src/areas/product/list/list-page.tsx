import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { useText } from '@/i18n'
import { useSession } from '@/session'
import { DataTable } from '@/ui/DataTable'
import { Empty } from '@/ui/Empty'
import { type Filter, Filters, type FilterValues } from '@/ui/Filters'
import { PageHead } from '@/ui/PageHead'
import { fetchProducts, operationsQuery, type Product } from '../queries'
import { productListRoute } from '../routes'
import { productPage } from '../tabs'
import { useProductColumns } from './columns'
import { ExportMenu } from './export-menu'
import { isFiltered, type ListSearch, listQuery } from './search'
import { TagFilter } from './tag-filter'
import './list.css'

const rowKey = (row: Product) => row._key
const pageOfRow = (row: Product) => productPage(row._key)

/** The filters that have one value each; tags have a part of their own. */
function useFilters(): readonly Filter[] {
  const t = useText()
  const { can } = useSession()
  const operations = useQuery({ ...operationsQuery, enabled: can('process:template:read') })
  return useMemo(() => {
    const options = (operations.data ?? []).map(({ _key, name }) => ({ value: _key, label: name }))
    const byOperation: Filter[] =
      options.length > 0 ? [{ kind: 'choice', id: 'operation', label: t('product.filter.operation'), options }] : []
    return [
      { kind: 'flag', id: 'traced', label: t('product.filter.traced') },
      { kind: 'flag', id: 'inactive', label: t('product.filter.inactive') },
      ...byOperation,
    ]
  }, [t, operations.data])
}

export default function ProductListPage() {
  const t = useText()
  const search = productListRoute.useSearch()
  const navigate = useNavigate({ from: '/product' })
  const columns = useProductColumns()
  const filters = useFilters()
  const change = useCallback(
    (changes: Partial<ListSearch>) => {
      navigate({ search: (old: ListSearch) => ({ ...old, ...changes }), replace: true })
    },
    [navigate],
  )
  const onFilter = useCallback(
    (values: FilterValues) => {
      const flags = Object.entries(values).map(([name, value]) => [name, value === 'true' ? true : value])
      change(Object.fromEntries(flags))
    },
    [change],
  )
  const query = useMemo(() => listQuery(search), [search])
  const source = useMemo(
    () => ({ queryKey: ['product', 'list', query] as const, fetchPage: fetchProducts(query) }),
    [query],
  )
  const { q, operation, traced, inactive } = search
  return (
    <>
      <PageHead title={t('pages.products')} actions={<ExportMenu search={search} />} />
      <DataTable
        name="products"
        label={t('product.list.label')}
        columns={columns}
        rowKey={rowKey}
        source={source}
        to={pageOfRow}
        empty={<NoProducts search={search} />}
      >
        <div className="tw-product-filters">
          <Filters
            search="q"
            searchLabel={t('product.list.search')}
            filters={filters}
            values={{ q, operation, traced, inactive }}
            onChange={onFilter}
          />
          <TagFilter search={search} onChange={change} />
        </div>
      </DataTable>
    </>
  )
}

function NoProducts({ search }: { search: ListSearch }) {
  const t = useText()
  const navigate = useNavigate({ from: '/product' })
  if (!isFiltered(search)) {
    return (
      <Empty icon="product" title={t('product.list.none')}>
        {t('product.list.none.text')}
      </Empty>
    )
  }
  return (
    <Empty
      icon="search"
      title={t('product.list.noMatch')}
      action={
        <Button variant="default" onClick={() => navigate({ search: {} })}>
          {t('product.list.clear')}
        </Button>
      }
    >
      {search.inactive === true ? null : t('product.list.noMatch.text')}
    </Empty>
  )
}
