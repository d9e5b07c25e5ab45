/*
 * The records that the panel works with, as the API gives them.
 */

import type { Schemas } from '@/api'

export type Job = Schemas['Job']
export type JobDetail = Schemas['JobDetail']
export type Batch = Schemas['BatchDetail']
export type Step = Schemas['Step']
export type StepRecord = Schemas['BatchStepData']
/** A unit that a batch works on, or that waits in front of a phase. */
export type Unit = Schemas['WipSerial']
export type WorkSession = Schemas['WorkSession']
export type Line = Schemas['DeclaredLine']
/** A component that was scanned into a unit, or into the batch. */
export type Declared = Schemas['DeclaredSerial']
export type Serial = Schemas['Serial']
export type Order = Schemas['WorkOrderRead']
export type IssueType = Schemas['IssueType']
export type Accepted = Schemas['EventAccepted']
