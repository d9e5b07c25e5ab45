import { Fragment } from 'react'
import { useText } from '@/i18n'
import { Icon } from '@/ui/icons'
import { codeOf } from './names'
import { pathOf, type Web } from './web'

/** The way from the start to what is selected; it stays in view however far one has walked. */
export function PathBar({ web, at, onGo }: { web: Web; at: string; onGo: (id: string) => void }) {
  const t = useText()
  const path = pathOf(web, at)
  return (
    <nav className="tw-trace-path" aria-label={t('trace.path')}>
      <ol>
        {path.map((id, index) => {
          const unit = web.units.get(id)
          if (!unit) return <Fragment key={id} />
          return (
            <li key={id}>
              {index > 0 && <Icon name={unit.side === 'from' ? 'left' : 'right'} size={12} />}
              <button type="button" aria-current={id === at ? 'true' : undefined} onClick={() => onGo(id)}>
                <b>{codeOf(t, unit.node)}</b> <span>{unit.node.product_code}</span>
              </button>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
