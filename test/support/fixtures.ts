import { type ScheduleId, scheduleId } from '../../lambdas/core/ids.ts';
import type { Recurrence } from '../../lambdas/core/recurrence/types.ts';
import { DEFAULT_CATCH_UP, DEFAULT_RETRY } from '../../lambdas/core/schedule/defaults.ts';
import type { Definition } from '../../lambdas/core/schedule/definition.ts';
import { planningPolicy, type ScheduleHead } from '../../lambdas/core/schedule/head.ts';
import type { Revision } from '../../lambdas/core/schedule/revision.ts';
import { type EpochMs, epochMs } from '../../lambdas/core/time.ts';

/** 2026-03-01T12:00:00Z: an ordinary Sunday noon, far from any clock change of the zones used. */
export const NOON = epochMs(Date.UTC(2026, 2, 1, 12));

export function at(offsetMs: number): EpochMs {
  return epochMs(NOON + offsetMs);
}

export function definition(changes: Partial<Definition> = {}): Definition {
  return {
    expression: '* * * * *',
    timezone: 'UTC',
    target: { kind: 'http', url: 'https://example.com/hook', method: 'POST', headers: {} },
    input: { hello: 'world' },
    retry: { ...DEFAULT_RETRY, jitter: 0 },
    timeout: 'PT60S',
    catchUp: DEFAULT_CATCH_UP,
    overlap: 'allow',
    tags: {},
    ...changes,
  };
}

let made = 0;
/** A schedule id that no other test of this process uses. */
export function freshId(group = 'tests'): ScheduleId {
  made += 1;
  return scheduleId(group, `s${made}`);
}

export function head(changes: Partial<ScheduleHead> = {}, from: Definition = definition()): ScheduleHead {
  return {
    id: freshId(),
    state: 'enabled',
    revision: 1,
    version: 1,
    policy: planningPolicy(from),
    anchor: NOON,
    nextDueAt: NOON,
    createdAt: NOON,
    updatedAt: NOON,
    ...changes,
  };
}

export function revision(of: ScheduleHead, from: Definition = definition()): Revision {
  return { schedule: of.id, revision: of.revision, definition: from, createdAt: NOON, createdBy: 'test' };
}

/** Fires at every multiple of `stepMs` since the epoch, up to `end`. */
export function everyMs(stepMs: number, end = Number.POSITIVE_INFINITY): Recurrence {
  return {
    next(after) {
      const next = epochMs((Math.floor(after / stepMs) + 1) * stepMs);
      return next > end ? null : { at: next, notes: [] };
    },
    prev(before) {
      const last = Math.min(Math.ceil(before / stepMs) - 1, Math.floor(end / stepMs));
      return { at: epochMs(last * stepMs), notes: [] };
    },
    description: `Every ${stepMs} ms`,
    warnings: () => [],
  };
}
