import { isDeepStrictEqual } from 'node:util';
import type { ScheduleChange, ScheduleStore } from '../core/ports/schedule-store.ts';
import { CANARY, CANARY_DEFINITION } from '../core/schedule/canary-definition.ts';
import { planningPolicy, type ScheduleHead } from '../core/schedule/head.ts';
import { headRecurrence } from '../core/schedule/head-recurrence.ts';
import type { EpochMs } from '../core/time.ts';

export interface CanaryDeps {
  readonly schedules: Pick<ScheduleStore, 'readHead' | 'readRevision' | 'applyChange'>;
  /** Whether the deployment has one. */
  readonly canary: boolean;
}

export type CanaryKept = 'as-it-was' | 'made' | 'removed';

/**
 * Sees to it that the canary is there and as this version has it, or is not there. Looked at by each sweep: whatever
 * becomes of it (a restored table, an update, a lost race) is right again a minute later. That sweeps come at all is
 * watched by other alarms.
 */
export async function keepCanary({ schedules, canary }: CanaryDeps, now: EpochMs): Promise<CanaryKept> {
  const head = await schedules.readHead(CANARY);
  const live = head !== undefined && head.state !== 'deleted';
  if (!canary) return live ? applyCanaryChange(schedules, removal(head, now), 'removed') : 'as-it-was';
  if (head?.state === 'enabled') {
    const revision = await schedules.readRevision(CANARY, head.revision);
    if (isDeepStrictEqual(revision?.definition, CANARY_DEFINITION)) return 'as-it-was';
  }
  return applyCanaryChange(schedules, making(head, now), 'made');
}

/** A conflict is another sweep, or a tick that came between: the next sweep looks again. */
async function applyCanaryChange(
  schedules: CanaryDeps['schedules'],
  change: ScheduleChange,
  what: CanaryKept,
): Promise<CanaryKept> {
  return (await schedules.applyChange(change)).kind === 'applied' ? what : 'as-it-was';
}

function making(before: ScheduleHead | undefined, now: EpochMs): ScheduleChange {
  const base = {
    id: CANARY,
    // Numbers go on from a tombstone's, as with any schedule.
    revision: (before?.revision ?? 0) + 1,
    version: (before?.version ?? 0) + 1,
    policy: planningPolicy(CANARY_DEFINITION),
    anchor: now,
    createdAt: now,
    updatedAt: now,
  };
  return {
    ...changing(before, now),
    // The tick makes its occurrences: a sweep has no right to.
    head: { ...base, state: 'enabled', nextDueAt: headRecurrence(base).next(now)?.at ?? null },
    revision: {
      schedule: CANARY,
      revision: base.revision,
      definition: CANARY_DEFINITION,
      createdAt: now,
      createdBy: 'punctual',
    },
  };
}

function removal(before: ScheduleHead, now: EpochMs): ScheduleChange {
  const head = { ...before, version: before.version + 1, nextDueAt: null, updatedAt: now };
  return { ...changing(before, now), head: { ...head, state: 'deleted' } };
}

/** What is pending needs no cancelling: workers ask the head, and find it changed or gone. */
function changing(before: ScheduleHead | undefined, now: EpochMs) {
  const expected = before ? { version: before.version, nextDueAt: before.nextDueAt } : null;
  return {
    expected,
    cancel: [],
    cancelReason: 'superseded',
    create: [],
    records: [],
    now,
  } as const;
}
