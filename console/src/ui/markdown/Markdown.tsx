import { Fragment } from 'react'
import { Folded } from '../LongText'
import './Markdown.css'
import { type Block, type Inline, markdown } from './markdown'

/** Parts of a text with their places as names: they have no other. */
function placed<T>(parts: readonly T[]): { id: string; part: T }[] {
  return parts.map((part, at) => ({ id: `part-${at}`, part }))
}

/** Text as people write it into steps and notes. */
export function Markdown({ text }: { text: string }) {
  return (
    <Folded text={text} most={4_000}>
      {(shown) => (
        <div className="tw-markdown">
          {placed(markdown(shown)).map(({ id, part }) => (
            <BlockView key={id} block={part} />
          ))}
        </div>
      )}
    </Folded>
  )
}

function BlockView({ block }: { block: Block }) {
  if (block.kind === 'code') return <pre>{block.text}</pre>
  if (block.kind === 'heading') {
    return (
      <p className="tw-markdown-head">
        <Words parts={block.text} />
      </p>
    )
  }
  if (block.kind === 'paragraph') {
    return (
      <p>
        {placed(block.lines).map(({ id, part }, at) => (
          <Fragment key={id}>
            {at > 0 && <br />}
            <Words parts={part} />
          </Fragment>
        ))}
      </p>
    )
  }
  const items = placed(block.items).map(({ id, part }) => (
    <li key={id}>
      <Words parts={part} />
    </li>
  ))
  return block.ordered ? <ol>{items}</ol> : <ul>{items}</ul>
}

function Words({ parts }: { parts: readonly Inline[] }) {
  return placed(parts).map(({ id, part }) => <Word key={id} part={part} />)
}

function Word({ part }: { part: Inline }) {
  switch (part.kind) {
    case 'bold':
      return <strong>{part.text}</strong>
    case 'italic':
      return <em>{part.text}</em>
    case 'code':
      return <code className="tw-code">{part.text}</code>
    case 'link':
      return (
        <a href={part.href} target="_blank" rel="noreferrer">
          {part.text}
        </a>
      )
    default:
      return part.text
  }
}
