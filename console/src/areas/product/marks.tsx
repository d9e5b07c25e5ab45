import type { CSSProperties } from 'react'
import { useText } from '@/i18n'
import { ToneMark } from '@/ui/StatusMark'
import type { Tag, TraceLevel } from './queries'
import './marks.css'

/** Whether orders can be made for a product. */
export function ProductState({
  product,
  look,
}: {
  product: { active: boolean; trash?: boolean }
  look?: 'plain' | 'tag'
}) {
  const t = useText()
  if (product.trash === true) {
    return (
      <ToneMark tone="scrapped" icon="deleted" look={look ?? 'plain'}>
        {t('product.state.trash')}
      </ToneMark>
    )
  }
  return product.active ? (
    <ToneMark tone="done" icon="done" look={look ?? 'plain'}>
      {t('product.state.active')}
    </ToneMark>
  ) : (
    <ToneMark tone="waiting" icon="paused" look={look ?? 'plain'}>
      {t('product.state.inactive')}
    </ToneMark>
  )
}

/** How far units are traced: none, one or two bars of three, and the word. */
export function TraceMark({ level, hint = true }: { level: TraceLevel; hint?: boolean }) {
  const t = useText()
  const name = level ?? 'none'
  return (
    <span className="tw-trace-mark" title={hint ? t(`product.trace.${name}.means`) : undefined} data-level={name}>
      <span className="tw-trace-bars" aria-hidden="true" />
      <span className="tw-trace-word">{t(`product.trace.${name}`)}</span>
    </span>
  )
}

/** Tags: their colour as a dot, their name beside it. */
export function Tags({ tags }: { tags: readonly Tag[] }) {
  if (tags.length === 0) return <span className="tw-none">–</span>
  return (
    <span className="tw-tags">
      {tags.map((tag) => (
        <span key={tag._key} className="tw-tag" title={tag.description ? `${tag.name}: ${tag.description}` : tag.name}>
          <TagDot color={tag.color} />
          <span className="tw-tag-name">{tag.name}</span>
        </span>
      ))}
    </span>
  )
}

export function TagDot({ color }: { color: string | null }) {
  const tag = color === null ? undefined : ({ '--tag': color } as CSSProperties)
  return <span className="tw-tag-dot" style={tag} aria-hidden="true" />
}
