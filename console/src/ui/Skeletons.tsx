import { useText } from '@/i18n'
import './Skeletons.css'

/** Widths that look like text, the same at every render. */
const WIDTHS = ['62%', '81%', '47%', '73%', '55%', '88%', '66%']

function widthAt(at: number): string {
  return WIDTHS[at % WIDTHS.length] ?? '60%'
}

/** One grey bar in the place of a text. */
export function Bar({ width = '60%' }: { width?: string }) {
  return <span className="tw-bone" style={{ width }} />
}

/** Lines in the place of a list or text, as high as the rows that will come. */
export function Lines({ count = 5 }: { count?: number }) {
  return (
    <Waiting>
      {Array.from({ length: count }, (_, at) => at).map((at) => (
        <div className="tw-bone-row" key={at}>
          <Bar width={widthAt(at)} />
        </div>
      ))}
    </Waiting>
  )
}

/** The head of a page and some lines, in the place of a whole page. */
export function PageSkeleton() {
  return (
    <Waiting>
      <div className="tw-bone-title">
        <Bar width="18rem" />
      </div>
      <div className="tw-bone-row">
        <Bar width="28rem" />
      </div>
      <div style={{ height: 24 }} />
      {[0, 1, 2, 3, 4, 5].map((at) => (
        <div className="tw-bone-row" key={at}>
          <Bar width={widthAt(at)} />
        </div>
      ))}
    </Waiting>
  )
}

function Waiting({ children }: { children: React.ReactNode }) {
  const t = useText()
  return (
    <div className="tw-waiting" role="status" aria-busy="true">
      <span className="tw-hidden">{t('ui.loading')}</span>
      <div aria-hidden="true">{children}</div>
    </div>
  )
}
