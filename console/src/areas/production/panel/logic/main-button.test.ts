import { describe, expect, it } from 'vitest'
import { endsBatch, leftOf, mainOf, type Situation, type StepSituation } from './main-button'

const fresh: Situation = {
  canSend: true,
  supervisor: false,
  stage: 'created',
  active: false,
  hasBatch: false,
  assigned: 'me',
  freeAllowed: true,
  busy: false,
  mine: false,
  supply: true,
  units: 'none',
  chosen: 0,
  held: false,
  online: true,
  waiting: false,
  step: null,
  stepCheck: true,
  missing: 0,
  unlabelled: 0,
  scrap: false,
  undecided: false,
}
const at = (rest: Partial<Situation>) => mainOf({ ...fresh, ...rest })
const working: Partial<Situation> = { stage: 'started', active: true, hasBatch: true, mine: true }
const open: StepSituation = { done: false, changed: false, question: 0, questions: 1, unanswered: 0, lastOpen: false }

describe('before work', () => {
  it('starts, begins the next batch, resumes', () => {
    expect(at({})).toEqual({ act: 'start' })
    expect(at({ stage: 'started' })).toEqual({ act: 'next' })
    expect(at({ stage: 'started', hasBatch: true })).toEqual({ act: 'resume' })
  })
  it('says why it cannot', () => {
    expect(at({ canSend: false })).toEqual({ act: 'start', why: 'noRight' })
    expect(at({ assigned: 'other' })).toEqual({ act: 'start', why: 'other' })
    expect(at({ assigned: 'nobody', freeAllowed: false })).toEqual({ act: 'start', why: 'unassigned' })
    expect(at({ busy: true })).toEqual({ act: 'start', why: 'busy' })
    expect(at({ supply: false })).toEqual({ act: 'start', why: 'supply' })
    expect(at({ units: 'waiting' })).toEqual({ act: 'start', why: 'pick' })
    expect(at({ units: 'labels-must' })).toEqual({ act: 'start', why: 'labels' })
  })
  it('lets supervisors take what is not theirs', () => {
    expect(at({ assigned: 'other', supervisor: true })).toEqual({ act: 'start' })
    expect(at({ assigned: 'nobody', freeAllowed: false, supervisor: true })).toEqual({ act: 'start' })
    expect(at({ assigned: 'nobody' })).toEqual({ act: 'start' })
  })
  it('starts with the units that were chosen, and labels may be left to the counter', () => {
    expect(at({ units: 'waiting', chosen: 2 })).toEqual({ act: 'start' })
    expect(at({ units: 'labels' })).toEqual({ act: 'start' })
    expect(at({ units: 'labels-must', chosen: 1 })).toEqual({ act: 'start' })
  })
  it('needs no supply to go on with a batch', () => {
    const paused: Partial<Situation> = { stage: 'started', hasBatch: true, supply: false, units: 'waiting' }
    expect(at(paused)).toEqual({ act: 'resume' })
  })
})

describe('at work', () => {
  it('asks question by question, then ends the step', () => {
    expect(at({ ...working, step: { ...open, questions: 2 } })).toEqual({ act: 'answer' })
    expect(at({ ...working, step: { ...open, question: 1, questions: 2 } })).toEqual({ act: 'step' })
    expect(at({ ...working, step: { ...open, questions: 0 } })).toEqual({ act: 'step' })
  })
  it('ends the batch with the last step', () => {
    const last = { ...open, lastOpen: true }
    expect(at({ ...working, step: last })).toEqual({ act: 'step', closes: true })
    expect(at({ ...working, step: last, stepCheck: false })).toEqual({ act: 'batch', closes: true })
    expect(at({ ...working, step: { ...last, questions: 2 } })).toEqual({ act: 'answer' })
  })
  it('keeps the batch open while something is missing or scrapped', () => {
    const last = { ...open, lastOpen: true }
    for (const rest of [{ missing: 1 }, { unlabelled: 1 }, { scrap: true }, { undecided: true }]) {
      expect(at({ ...working, step: last, ...rest })).toEqual({ act: 'step' })
      expect(endsBatch({ ...fresh, ...working, step: last, ...rest })).toBe(false)
    }
  })
  it('ends the batch when all steps are done', () => {
    expect(at(working)).toEqual({ act: 'batch', closes: true })
    expect(at({ ...working, scrap: true })).toEqual({ act: 'batch', closes: true })
    expect(at({ ...working, missing: 3 })).toEqual({ act: 'batch', why: 'components', count: 3 })
    expect(at({ ...working, scrap: true, undecided: true })).toEqual({ act: 'batch', why: 'marks' })
    expect(at({ ...working, unlabelled: 2, missing: 3 })).toEqual({ act: 'batch', why: 'label', count: 2 })
  })
  it('corrects a step that is done, or goes back to where work is', () => {
    const done = { ...open, done: true }
    expect(at({ ...working, step: done })).toEqual({ act: 'onward' })
    expect(at({ ...working, step: { ...done, changed: true } })).toEqual({ act: 'edit' })
    expect(at({ ...working, step: { ...done, questions: 2 } })).toEqual({ act: 'answer' })
  })
  it('corrects nothing that goes out with the batch only', () => {
    const changed: StepSituation = { ...open, done: true, changed: true }
    expect(at({ ...working, stepCheck: false, step: changed })).toEqual({ act: 'onward' })
  })
  it('leaves the work of others alone, but for supervisors', () => {
    expect(at({ ...working, mine: false })).toEqual({ act: 'batch', why: 'theirs' })
    expect(at({ ...working, mine: false, supervisor: true })).toEqual({ act: 'batch', closes: true })
    expect(at({ ...working, canSend: false })).toEqual({ act: 'batch', why: 'noRight' })
  })
})

describe('what is left', () => {
  const left = (rest: Partial<Situation>) => leftOf({ ...fresh, ...working, step: open, ...rest })
  it('names answers, parts and labels', () => {
    expect(left({ missing: 3 })).toEqual({ answers: 0, parts: 3, labels: 0 })
    expect(left({ step: { ...open, unanswered: 2 }, unlabelled: 1 })).toEqual({ answers: 2, parts: 0, labels: 1 })
  })
  it('is nothing once the step can end', () => {
    expect(left({})).toBeNull()
    expect(left({ scrap: true })).toBeNull()
  })
  it('is not told where the button does something else, or says why it cannot', () => {
    expect(left({ missing: 3, step: null })).toBeNull()
    expect(left({ missing: 3, step: { ...open, done: true } })).toBeNull()
    expect(left({ missing: 3, active: false })).toBeNull()
    expect(left({ missing: 3, mine: false })).toBeNull()
    expect(left({ missing: 3, held: true })).toBeNull()
    expect(left({ missing: 3, waiting: true })).toBeNull()
  })
})

describe('otherwise', () => {
  it('does nothing more while something was refused', () => {
    expect(at({ ...working, held: true })).toEqual({ act: 'batch', why: 'held' })
    expect(at({ stage: 'started', hasBatch: true, held: true, online: false })).toEqual({ act: 'resume', why: 'held' })
    expect(at({ stage: 'closed', held: true })).toEqual({ act: 'leave' })
  })
  it('begins work while something was refused: that may be what mends it', () => {
    expect(at({ stage: 'started', hasBatch: true, held: true })).toEqual({ act: 'resume' })
    expect(at({ held: true })).toEqual({ act: 'start' })
    expect(at({ held: true, busy: true })).toEqual({ act: 'start', why: 'busy' })
  })
  it('waits for an answer, and leaves what is done', () => {
    expect(at({ ...working, waiting: true })).toEqual({ act: 'wait' })
    expect(at({ stage: 'closed' })).toEqual({ act: 'leave' })
  })
})
