import { useText } from '@/i18n'
import type { ComparedFact } from './data'

interface ComparedFactsProps {
  readonly label: string
  readonly facts: readonly ComparedFact[]
  readonly names: readonly [string, string]
}

/** Facts that differ: what, before, after. */
export function ComparedFacts({ label, facts, names }: ComparedFactsProps) {
  const t = useText()
  if (facts.length === 0) return <p className="tw-product-note">{t('product.versions.same')}</p>
  return (
    <div className="tw-compare-scroll">
      <table className="tw-compare" aria-label={label}>
        <colgroup>
          <col style={{ width: '28%' }} />
          <col />
          <col />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">{t('product.versions.what')}</th>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {facts.map((fact) => (
            <tr key={fact.label}>
              <th scope="row">{fact.label}</th>
              <Side text={fact.before} />
              <Side text={fact.after} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Side({ text }: { text: string | null }) {
  return <td className="tw-compare-text">{text ?? <span className="tw-none">–</span>}</td>
}
