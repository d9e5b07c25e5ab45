import { useMediaQuery } from '@mantine/hooks'
import { type ComponentType, Suspense, useMemo } from 'react'
import { useText } from '@/i18n'
import { fullName, useSession } from '@/session'
import { Empty } from '@/ui/Empty'
import { useMood } from '@/ui/mood'
import { PageHead } from '@/ui/PageHead'
import { Lines } from '@/ui/Skeletons'
import { lately } from '../later'
import { CountsBlock } from './blocks/counts'
import { IssuesBlock } from './blocks/issues'
import { OrdersBlock } from './blocks/orders'
import { QueueBlock } from './blocks/queue'
import { TasksBlock } from './blocks/tasks'
import { partOfDay } from './day'
import { Headline } from './headline'
import { type BlockName, blocksOf, inColumns, roleOf } from './roles'
import './home.css'

/** Not for everybody, and not at once: it reads the record of every unit. */
const RecordsBlock = lately(() => import('./blocks/records'))

const BLOCKS: Readonly<Record<BlockName, ComponentType>> = {
  queue: QueueBlock,
  tasks: TasksBlock,
  issues: IssuesBlock,
  records: RecordsBlock,
  orders: OrdersBlock,
  counts: CountsBlock,
}

/** Where everybody begins: what waits for them, by what their role needs. */
export default function HomePage() {
  const t = useText()
  const session = useSession()
  const { can } = session
  const blocks = useMemo(() => blocksOf(can), [can])
  const wide = useMediaQuery('(min-width: 1180px)', window.innerWidth >= 1180, { getInitialValueInEffect: false })
  useMood(roleOf(can) === 'operator' ? 'floor' : 'desk')
  const name = session.name ?? fullName(session)
  return (
    <>
      <PageHead
        title={t('frame.home')}
        shown={t(`home.hello.${partOfDay(new Date())}`, { name })}
        answer={blocks.length > 0 && <Headline blocks={blocks} />}
      />
      {blocks.length === 0 && (
        <Empty icon="lock" title={t('home.noRights.title')}>
          {t('home.noRights.text')}
        </Empty>
      )}
      <div className="tw-home">
        {inColumns(blocks, wide ? 2 : 1).map((column) => (
          <div className="tw-home-column" key={column.join()}>
            {column.map((name) => {
              const One = BLOCKS[name]
              return (
                <Suspense key={name} fallback={<Lines count={4} />}>
                  <One />
                </Suspense>
              )
            })}
          </div>
        ))}
      </div>
    </>
  )
}
