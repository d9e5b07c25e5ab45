import { type Block, blocksOf, type Span } from '../logic/markdown'

function Words({ spans }: { spans: readonly Span[] }) {
  return spans.map(({ id, look, text }) => {
    if (look === 'bold') return <strong key={id}>{text}</strong>
    if (look === 'italic') return <em key={id}>{text}</em>
    return look === 'code' ? <code key={id}>{text}</code> : text
  })
}

function Part({ block }: { block: Block }) {
  if (block.kind !== 'list') {
    const Tag = block.kind === 'heading' ? 'h3' : 'p'
    return (
      <Tag>
        <Words spans={block.spans} />
      </Tag>
    )
  }
  const List = block.ordered ? 'ol' : 'ul'
  return (
    <List>
      {block.items.map(({ id, spans }) => (
        <li key={id}>
          <Words spans={spans} />
        </li>
      ))}
    </List>
  )
}

/** The text of a step. */
export function Instructions({ text }: { text: string }) {
  return (
    <div className="pn-words">
      {blocksOf(text).map(({ id, block }) => (
        <Part key={id} block={block} />
      ))}
    </div>
  )
}
