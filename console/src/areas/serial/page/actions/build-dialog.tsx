import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, bare } from '@/api'
import { useText } from '@/i18n'
import { useScan } from '@/scan'
import { StatusMark } from '@/ui/StatusMark'
import { ActDialog, type SentEvent } from './act-dialog'
import type { WantedProduct } from './acts'
import type { ActProps } from './simple-acts'

interface BuildDialogProps extends ActProps {
  readonly parentKey: string
  readonly product?: WantedProduct | undefined
}

/** Units that could be built in: free ones, of the wanted product where one is named. */
function useOffers(search: string, product: WantedProduct | undefined) {
  return useQuery({
    queryKey: ['serial', 'free', product?.key, search],
    queryFn: ({ signal }) =>
      bare(
        api.GET('/serial-selection', {
          params: {
            query: {
              free_only: true,
              limit: 8,
              ...(product ? { product_key: product.key } : {}),
              ...(search === '' ? {} : { search }),
            },
          },
          signal,
        }),
      ),
    enabled: product !== undefined || search !== '',
    placeholderData: (before) => before,
  })
}

/** Builds a unit in: scanned, typed or chosen. */
export function BuildDialog({ view, parentKey, product, onClose }: BuildDialogProps) {
  const t = useText()
  const [search, setSearch] = useState('')
  const [chosen, setChosen] = useState<string>()
  const offers = useOffers(search.trim(), product)
  const rows = (offers.data ?? []).filter(({ _key }) => _key !== parentKey)
  const exact = rows.filter(({ code }) => code === search.trim().toUpperCase())
  const child = rows.find(({ _key }) => _key === chosen)?._key ?? (exact.length === 1 ? exact[0]?._key : undefined)
  useScan(
    (scan) => {
      const code = scan.kind === 'plain' ? scan.code : scan.kind === 'gs1' ? scan.serial : undefined
      if (code === undefined) return undefined
      setSearch(code)
      setChosen(undefined)
      return { ok: true }
    },
    { priority: 20 },
  )
  const event = (): SentEvent | undefined =>
    child === undefined
      ? undefined
      : {
          event_type: 'SERIAL_LINKED',
          child_serial_key: child,
          parent_serial_key: parentKey,
          process_inventory: true,
          replace_existing: false,
          scrap_replaced: false,
        }
  const parent = view.codes.get(parentKey) ?? view.unit.data?.code ?? ''
  return (
    <ActDialog
      title={
        product ? t('serial.build.titleOf', { product: product.code, parent }) : t('serial.build.title', { parent })
      }
      action={t('serial.act.build')}
      ready={child !== undefined}
      event={event}
      onClose={onClose}
    >
      <TextInput
        label={t('serial.build.label')}
        description={t('serial.build.text')}
        value={search}
        onChange={(change) => {
          setSearch(change.currentTarget.value)
          setChosen(undefined)
        }}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      {rows.length > 0 && (
        <fieldset className="tw-unit-offers">
          <legend>{t('serial.build.free')}</legend>
          {rows.map((row) => (
            <label key={row._key}>
              <input type="radio" name="child" checked={row._key === child} onChange={() => setChosen(row._key)} />
              <span className="tw-code">{row.code}</span>
              <span>{row.product_description ?? row.product_code}</span>
              <StatusMark of="serial" state={row.state} />
            </label>
          ))}
        </fieldset>
      )}
      {offers.data && rows.length === 0 && <div className="tw-dialog-text">{t('serial.build.none')}</div>}
    </ActDialog>
  )
}
