import { describe, expect, it } from 'vitest'
import { job } from './samples'
import { toCome } from './to-come'

const sequence = { phase_sequence: ['p1', 'p2', 'p3'] }

describe('what a job can still make', () => {
  it('is what is planned, less what is made and scrapped, in the first phase', () => {
    const first = job({ phase_key: 'p1', qt_planned: 5, qt_completed: '1.5', qt_scrap: 1 })
    expect(toCome(first, { ...sequence, jobs: [first, job({ phase_key: 'p2', qt_planned: 5 })] })).toBe('2.5')
  })

  it('lacks what was scrapped in the phases before', () => {
    const first = job({ phase_key: 'p1', qt_planned: 4, qt_completed: 2, qt_scrap: 1, stage: 'started' })
    const second = job({ phase_key: 'p2', qt_planned: 4, qt_scrap: 1, stage: 'started' })
    const third = job({ phase_key: 'p3', qt_planned: 4 })
    const jobs = [third, second, first]
    expect(jobs.map((one) => toCome(one, { ...sequence, jobs }))).toEqual(['2', '2', '1'])
  })

  it('is only what waits where the phase before has ended', () => {
    const first = job({ phase_key: 'p1', qt_planned: 4, qt_completed: 3, stage: 'closed' })
    const second = job({ phase_key: 'p2', qt_planned: 4, qt_completed: 1 })
    expect(toCome(second, { ...sequence, jobs: [first, second] })).toBe('2')
  })

  it('leaves to the other jobs of the phase what they have in work', () => {
    const first = job({ phase_key: 'p1', qt_planned: 4, qt_completed: 4, stage: 'closed' })
    const other = job({ phase_key: 'p2', qt_planned: 3, active_batch_qt: 3, stage: 'started' })
    const second = job({ phase_key: 'p2', qt_planned: 3 })
    expect(toCome(second, { ...sequence, jobs: [first, other, second] })).toBe('1')
  })

  it('is what is planned while the order is not read', () => {
    const second = job({ phase_key: 'p2', qt_planned: 4 })
    expect(toCome(second, { phase_sequence: ['p2'], jobs: [second] })).toBe('4')
  })
})
