import { scheduleId } from '../../lambdas/core/ids.ts';
import type { PendingOccurrence, RunningOccurrence } from '../../lambdas/core/occurrence/occurrence.ts';
import { type EpochMs, MINUTE } from '../../lambdas/core/time.ts';
import { at, NOON } from './fixtures.ts';

const base = {
  schedule: scheduleId('tests', 'one'),
  scheduledTime: NOON,
  revision: 1,
  kind: 'scheduled',
  dueAt: NOON,
  firstDueAt: NOON,
  dispatchSeq: 1,
  attempt: 0,
  fencingToken: 0,
  roundBase: 0,
  replays: 0,
  places: {},
  kept: {},
  attempts: [],
  notes: [],
  createdAt: at(-MINUTE),
} as const;

export function pending(changes: Partial<PendingOccurrence>): PendingOccurrence {
  return { ...base, status: 'pending', sends: 0, waits: 0, redispatches: 0, ...changes };
}

export function running(changes: { readonly expiresAt?: EpochMs }): RunningOccurrence {
  return {
    ...base,
    status: 'running',
    attempt: 1,
    fencingToken: 1,
    attemptStartedAt: NOON,
    startedAt: NOON,
    lease: { holder: 'w', expiresAt: changes.expiresAt ?? at(MINUTE) },
  };
}
