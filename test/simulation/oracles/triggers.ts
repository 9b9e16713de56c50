import { occurrenceKeyOf } from '../../../lambdas/adapters/dynamodb/keys.ts';
import { type OccurrenceId, occurrenceId } from '../../../lambdas/core/ids.ts';
import type { Item } from '../world/observer.ts';

/** What clients asked to be run by hand of one schedule. */
export interface Triggers {
  /** Requests, those under one Idempotency-Key counted once. */
  asked: number;
  /** What was answered. */
  readonly answered: Set<OccurrenceId>;
}

/** Invariants 1 and 2 of what people ask for: what was answered has its record, and nothing came of itself or twice. */
export function triggerFaults(items: readonly Item[], { asked, answered }: Triggers): string[] {
  const keys = items.map((item) => occurrenceKeyOf(item as never)).filter(({ kind }) => kind === 'manual');
  const made = new Set(keys.map(occurrenceId));
  const lost = [...answered].filter((id) => !made.has(id));
  return [
    ...lost.map((id) => `${id} was answered to a trigger and has no record`),
    ...(made.size > asked ? [`${[...made].join(', ')} came of ${asked} triggers`] : []),
    ...(keys.length > made.size ? [`of ${[...made].join(', ')} one was made twice`] : []),
  ];
}
