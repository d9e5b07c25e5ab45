import { Select } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useText } from '@/i18n'
import { Empty } from '@/ui/Empty'
import { LoadFailed } from '@/ui/LoadFailed'
import { Lines } from '@/ui/Skeletons'
import type { PartProps } from '../part'
import { type Explosion, explosionQuery } from '../queries'
import { Switch } from '../switch'
import { usePageSearch } from '../use-page-search'
import { Needs } from './needs'
import { QuantityBox } from './quantity-box'
import { Structure } from './structure'
import { depthOf } from './tree'
import './bom.css'

/** What it is made of: the structure level by level, or all that is needed, for a quantity. */
export function BomTab({ product }: PartProps) {
  const t = useText()
  const [search, change] = usePageSearch()
  const qt = search.qt ?? '1'
  const levels = search.levels === undefined ? undefined : Number(search.levels)
  const whole = useQuery(explosionQuery(product._key, '1', undefined))
  const explosion = useQuery({ ...explosionQuery(product._key, qt, levels), placeholderData: keepPreviousData })
  if (product.bom_version === 0 || whole.data?.lines.length === 0) {
    return (
      <Empty icon="product" title={t('product.bom.none')}>
        {t('product.bom.none.text')}
      </Empty>
    )
  }
  const view = search.view ?? 'tree'
  return (
    <>
      <div className="tw-product-tools">
        <QuantityBox
          value={qt}
          unit={product.unit}
          onChange={(value) => change({ qt: value === '1' ? undefined : value })}
        />
        <Levels
          deepest={whole.data === undefined ? 0 : depthOf(whole.data)}
          value={search.levels}
          onChange={(value) => change({ levels: value })}
        />
        <Switch
          label={t('product.bom.view')}
          options={[
            { value: 'tree', label: t('product.bom.view.tree') },
            { value: 'needs', label: t('product.bom.view.needs') },
          ]}
          value={view}
          onChange={(value) => change({ view: value === 'needs' ? 'needs' : undefined })}
        />
      </div>
      {explosion.isPending && <Lines count={10} />}
      {explosion.isError && <LoadFailed error={explosion.error} onRetry={() => explosion.refetch()} />}
      {explosion.data && !explosion.isError && view === 'tree' && (
        <Structure explosion={explosion.data}>
          <Summary explosion={explosion.data} />
        </Structure>
      )}
      {explosion.data && !explosion.isError && view === 'needs' && (
        <Needs
          explosion={explosion.data}
          all={search.all === 'true'}
          onAll={(all) => change({ all: all ? 'true' : undefined })}
        />
      )}
    </>
  )
}

function Summary({ explosion }: { explosion: Explosion }) {
  const t = useText()
  return (
    <p className="tw-product-note">
      {t('product.bom.answer', {
        lines: t('product.bom.answer.lines', { count: explosion.nodes.length }),
        levels: t('product.bom.answer.levels', { count: depthOf(explosion) }),
        needs: t('product.bom.answer.needs', { count: explosion.totals.length }),
      })}
    </p>
  )
}

interface LevelsProps {
  readonly deepest: number
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

function Levels({ deepest, value, onChange }: LevelsProps) {
  const t = useText()
  const counts = Array.from({ length: Math.max(deepest - 1, Number(value ?? 0)) }, (_, at) => at + 1)
  const data = [
    { value: '', label: t('product.bom.levels.all') },
    ...counts.map((count) => ({
      value: String(count),
      label: t('product.bom.levels.some', { count }),
    })),
  ]
  return (
    <Select
      label={t('product.bom.levels')}
      data={data}
      value={value ?? ''}
      onChange={(next) => onChange(next || undefined)}
      allowDeselect={false}
      w={150}
    />
  )
}
