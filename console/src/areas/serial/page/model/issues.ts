import type { Schemas } from '@/api'

export type UnitIssue = Schemas['RecordIssue']

/** Open and critical ones first, then the latest. */
function byWeight(a: UnitIssue, b: UnitIssue): number {
  const weight = (issue: UnitIssue) => (issue.open ? 2 : 0) + (issue.open && issue.critical ? 1 : 0)
  return weight(b) - weight(a) || (a.created < b.created ? 1 : -1)
}

/** The issues that there were at a moment: those that were closed later were still open. */
export function issuesThen(issues: readonly UnitIssue[], time: number | undefined): UnitIssue[] {
  const then = issues.flatMap((issue) => {
    if (time === undefined) return [issue]
    if (Date.parse(issue.created) > time) return []
    const closedLater = issue.closed !== null && Date.parse(issue.closed) > time
    return [closedLater ? { ...issue, open: true, closed: null, closed_by: null } : issue]
  })
  return then.sort(byWeight)
}
