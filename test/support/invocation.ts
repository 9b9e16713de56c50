import { type OccurrenceId, scheduleId } from '../../lambdas/core/ids.ts';
import type { Invocation } from '../../lambdas/core/ports/target-caller.ts';
import { MINUTE } from '../../lambdas/core/time.ts';
import { at, NOON } from './fixtures.ts';

/** The second attempt of an ordinary occurrence. */
export const invocation: Invocation = {
  id: 'g~n~20260301T120000000Z~3' as OccurrenceId,
  schedule: scheduleId('g', 'n'),
  scheduledTime: NOON,
  previousScheduledTime: at(-MINUTE),
  nextScheduledTime: null,
  isCatchUp: false,
  attempt: 2,
  kind: 'scheduled',
  revision: 3,
  idempotencyKey: 'key-1',
  fencingToken: 7,
  input: { order: 5 },
};
