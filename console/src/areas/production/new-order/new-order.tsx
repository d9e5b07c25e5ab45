import { Button } from '@mantine/core'
import { Part } from '@/app/errors'
import { lately, useSoon } from '@/app/later'
import { useShortcut } from '@/app/shortcuts'
import { useText } from '@/i18n'
import { useSession } from '@/session'
import { Icon } from '@/ui/icons'
import type { Made } from './created'

const Form = lately(() => import('./dialog'))
const soon = [Form]

/** Opens the form of a new order, also by its key. Nothing for those who may not make any. */
export function NewOrderButton({ onOpen }: { onOpen: () => void }) {
  const t = useText()
  useShortcut('n', 'production.plan.new', onOpen)
  useSoon(soon)
  return (
    <Button leftSection={<Icon name="plus" />} onClick={onOpen}>
      {t('production.plan.new')}
    </Button>
  )
}

interface NewOrderProps {
  readonly product: string | undefined
  readonly onClose: () => void
  readonly onMade: (made: Made) => void
}

/** The form of a new order; its code comes when it is needed. */
export function NewOrder(props: NewOrderProps) {
  const { can } = useSession()
  if (!can('production:work-order:create')) return null
  return (
    <Part>
      <Form {...props} />
    </Part>
  )
}
