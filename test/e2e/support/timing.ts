import assert from 'node:assert/strict';
import type { OccurrenceView } from '../../../lambdas/api/occurrences/occurrence-schema.ts';
import type { Arrival } from './arrivals.ts';

/** Milliseconds after it is due within which an occurrence starts, and reaches its target. */
export const ON_TIME = 3_000;

/** A whole second, some seconds from now: API and expressions know no finer times. */
export function inSeconds(count: number): Date {
  return new Date((Math.ceil(Date.now() / 1_000) + count) * 1_000);
}

/** A one-shot expression. */
export const at = (time: Date): string => `at(${time.toISOString().slice(0, 19)})`;

/** Milliseconds from due to the start in the ledger; throws when it was early or late. */
export function startDelay({ id, dueAt, startedAt }: OccurrenceView): number {
  assert(startedAt !== null, `${id} has not started.`);
  return onTime(`${id} started`, Date.parse(startedAt) - Date.parse(dueAt));
}

/** Milliseconds from the scheduled time until the target was called. */
export function arrivalDelay(arrival: Arrival): number {
  return onTime(`The call of ${arrival.schedule}`, arrival.at - arrival.scheduledTime);
}

function onTime(what: string, delay: number): number {
  assert(delay >= 0, `${what} came ${-delay} ms early.`);
  assert(delay < ON_TIME, `${what} came ${delay} ms after it was due.`);
  return delay;
}
