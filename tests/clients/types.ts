// Never run: tsc fails here if it accepts what the service would refuse, or if an event does not narrow.

import type { BatchCompletedPayload, PostEventErrors, RuleError, SentEvent, StoredEvent } from '../../target/clients/typescript/index.js';

export const good: SentEvent = { event_type: 'JOB_STARTED', job_key: 'a' };

// @ts-expect-error no event has this member
export const unknownMember: SentEvent = { event_type: 'JOB_STARTED', job_key: 'a', colour: 'red' };

// @ts-expect-error a member of BATCH_COMPLETED
export const foreignMember: SentEvent = { event_type: 'JOB_STARTED', job_key: 'a', completed_batch_qt: 1 };

// @ts-expect-error a key is text
export const wrongMember: SentEvent = { event_type: 'JOB_STARTED', job_key: 7 };

// @ts-expect-error without the job
export const missingMember: SentEvent = { event_type: 'JOB_STARTED' };

// @ts-expect-error no such type
export const unknownType: SentEvent = { event_type: 'JOB_BEGUN', job_key: 'a' };

export function narrowed(event: StoredEvent): BatchCompletedPayload | undefined {
  if (event.event_type === 'BATCH_COMPLETED') return event.payload;
  // @ts-expect-error of another type by now
  return event.payload;
}

export function data(rule: RuleError): number | undefined {
  if (rule.error_type === 'QuantityMismatchError') return rule.expected;
  // @ts-expect-error not every rule has it
  return rule.expected;
}

export function told({ detail }: PostEventErrors[422]): string {
  if (Array.isArray(detail)) return detail.map((fault) => `${fault.loc.join('.')}: ${fault.type}`).join();
  if ('error_type' in detail && detail.error_type === 'QuantityMismatchError') return `${detail.expected}, not ${detail.given}`;
  // @ts-expect-error not every refusal has it
  return detail.expected ?? detail.message;
}
