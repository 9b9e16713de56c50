import type { ScheduleId } from '../../core/ids.ts';
import type { ChangeReason, PendingOccurrence } from '../../core/occurrence.ts';
import type { IdempotencyRecord, ScheduleChange } from '../../core/ports.ts';
import {
  type Definition,
  type PlanningPolicy,
  planningPolicy,
  type ScheduleHead,
} from '../../core/schedule.ts';
import { type EpochMs, epochMs, MINUTE } from '../../core/time.ts';
import type { Caller, ChangeDeps } from '../deps.ts';
import { leftOver } from './left-over.ts';
import { planFirst } from './plan-at-once.ts';
import { planFrom } from './plan-from.ts';
import type { Standing } from './standing.ts';

/** A change of a schedule as its use case puts it; what is cancelled and created follows from it. */
export interface Move {
  /** `enabled` becomes `completed` where no time is left. */
  readonly state: 'enabled' | 'paused' | 'deleted';
  /** Present when what or when changes: it becomes the next revision. */
  readonly definition?: Definition;
  readonly cancel: CancelMove;
  readonly pauseNote?: string;
  readonly idempotency?: IdempotencyRecord;
}

export interface CancelMove {
  /** Manual occurrences were asked for by a person: only the deletion of their schedule stops them. */
  readonly kinds: 'scheduled' | 'every';
  readonly reason: ChangeReason;
}

/**
 * Actions of a transaction that are left for cancels and creates: 100 in all, less head, revision, idempotency
 * record and the record of what is left over.
 */
const TRANSACTION_ROOM = 96;

/** Pending occurrences this much older than now are found by a consistent read, older ones by an index. */
const OPEN_SINCE = 5 * MINUTE;

export async function changeOf(
  deps: Pick<ChangeDeps, 'occurrences' | 'limits'>,
  id: ScheduleId,
  standing: Standing,
  move: Move,
  caller: Caller,
): Promise<ScheduleChange> {
  const { now } = caller;
  const before = standing.kind === 'absent' ? undefined : standing.head;
  const cancel = before ? await toCancel(deps, id, move.cancel, now) : [];
  const base = nextHead(id, standing, move, now);
  // The cancels are safe beyond the transaction too (the worker asks the head), but creates without room for
  // them would leave a plain mistake: that the cancels did not go with the change they belong to.
  const room = Math.max(0, TRANSACTION_ROOM - cancel.length);
  const first =
    move.state === 'enabled'
      ? planFirst(base, before ? await planFrom(deps.occurrences, id, now) : now, now, deps.limits, room)
      : { create: [], nextDueAt: null };
  const completed = move.state === 'enabled' && first.nextDueAt === null;
  return {
    expected: before ? { version: before.version, nextDueAt: before.nextDueAt } : null,
    head: { ...base, state: completed ? 'completed' : move.state, nextDueAt: first.nextDueAt },
    ...(move.definition && {
      revision: {
        schedule: id,
        revision: base.revision,
        definition: move.definition,
        createdAt: now,
        createdBy: caller.principal,
      },
    }),
    cancel,
    cancelReason: move.cancel.reason,
    create: first.create,
    records: before ? leftOver(before, now, move.cancel.reason) : [],
    ...(move.idempotency && { idempotency: move.idempotency }),
    now,
  };
}

async function toCancel(
  deps: Pick<ChangeDeps, 'occurrences'>,
  id: ScheduleId,
  { kinds }: CancelMove,
  now: EpochMs,
): Promise<PendingOccurrence[]> {
  const open = await deps.occurrences.openOf(id, epochMs(now - OPEN_SINCE));
  return open
    .filter((occurrence) => occurrence.status === 'pending')
    .filter((occurrence) => kinds === 'every' || occurrence.kind === 'scheduled')
    .sort((a, b) => a.dueAt - b.dueAt);
}

function nextHead(
  id: ScheduleId,
  standing: Standing,
  move: Move,
  now: EpochMs,
): Omit<ScheduleHead, 'state' | 'nextDueAt'> {
  const before = standing.kind === 'absent' ? undefined : standing.head;
  const live = standing.kind === 'live' ? standing.head : undefined;
  return {
    id,
    // Numbers go on from a tombstone's, so that no occurrence key of the schedule that was deleted comes again.
    revision: (before?.revision ?? 0) + (move.definition ? 1 : 0),
    version: (before?.version ?? 0) + 1,
    policy: policyAfter(before, move),
    anchor: live?.anchor ?? now,
    createdAt: live?.createdAt ?? now,
    updatedAt: now,
    ...(move.pauseNote !== undefined && { pauseNote: move.pauseNote }),
  };
}

function policyAfter(before: ScheduleHead | undefined, move: Move): PlanningPolicy {
  if (move.definition) return planningPolicy(move.definition);
  if (!before) throw new Error('A schedule that does not exist yet needs a definition.');
  return before.policy;
}
