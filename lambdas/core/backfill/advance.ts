import type { CancelReason, Occurrence, PendingOccurrence } from '../occurrence/occurrence.ts';
import { type PlannedOccurrence, retentionOf } from '../planning/planner.ts';
import type { OccurrenceStore } from '../ports/occurrence-store.ts';
import type { PlanningPolicy, ScheduleHead } from '../schedule/head.ts';
import { headRecurrence } from '../schedule/head-recurrence.ts';
import { type EpochMs, epochMs } from '../time.ts';
import { aheadOf, type Backfill, CHECK_EVERY, isFinished, occurrenceKeyIn } from './backfill.ts';
import { fill } from './fill.ts';
import { isGone } from './in-force.ts';
import type { BackfillStore } from './store.ts';
import { tally, toStop } from './tally.ts';

export interface AdvanceDeps {
  readonly backfills: Pick<
    BackfillStore,
    'scheduleOf' | 'openOccurrences' | 'recordsBetween' | 'saveBackfill' | 'retireSlot'
  >;
  readonly occurrences: Pick<OccurrenceStore, 'cancel' | 'readOccurrence'>;
}

export type AdvanceResult =
  /** `more`: there was more to do than one transaction takes. */
  | {
      readonly kind: 'advanced';
      readonly backfill: Backfill;
      readonly created: number;
      readonly more: boolean;
    }
  | { readonly kind: 'unchanged'; readonly backfill: Backfill }
  /** Another tick or a person was first. Normal. */
  | { readonly kind: 'lost-race' };

/** Occurrences in one transaction, which takes 100 actions. */
const MAX_CREATED = 90;
const STOPPED_AT_ONCE = 16;

/**
 * One step of a backfill: counts what has ended, stops what is to stop, creates what there is room for. What it
 * writes is one transaction on the condition that the backfill is as it was seen; so a step that dies leaves it as
 * it was, and of two steps at once one is lost.
 */
export async function advance(deps: AdvanceDeps, seen: Backfill, now: EpochMs): Promise<AdvanceResult> {
  const [schedule, before] = await Promise.all([
    deps.backfills.scheduleOf(seen),
    deps.backfills.openOccurrences(seen),
  ]);
  const backfill = stoppedWith(seen, schedule.head);
  const found = await stop(deps, backfill, before, now);
  const { counts, open, again } = tally(backfill, found);

  const made =
    backfill.state === 'running' && schedule.head && schedule.policy
      ? await make(deps, { ...backfill, counts, open }, again, schedule.head, schedule.policy, now)
      : { create: [], backfill: { ...backfill, counts, open }, more: false };
  const next = settled(made.backfill, open.length - again.length + made.create.length, now);
  if (!isChanged(seen, next, made.create)) return { kind: 'unchanged', backfill: seen };

  // Before the write that takes it out of the tick's sight, so that it is never left undone.
  if (isFinished(next)) await deps.backfills.retireSlot(next, now);
  const saved = await deps.backfills.saveBackfill(seen, next, made.create);
  if (saved === 'lost-race') return { kind: 'lost-race' };
  return { kind: 'advanced', backfill: next, created: made.create.length, more: made.more };
}

/** Its schedule was deleted, or made anew since: it ends. A pause or an edit of the schedule does not concern it. */
function stoppedWith(backfill: Backfill, head: ScheduleHead | undefined): Backfill {
  if (!isGone(head, backfill) || backfill.state === 'cancelled' || backfill.state === 'completed')
    return backfill;
  return { ...backfill, state: 'cancelled', reason: 'deleted' };
}

/** Cancels what is not to start any more; answers the occurrences as they then are. */
async function stop(
  deps: AdvanceDeps,
  backfill: Backfill,
  found: ReadonlyMap<EpochMs, Occurrence>,
  now: EpochMs,
): Promise<ReadonlyMap<EpochMs, Occurrence>> {
  const reason = backfill.state === 'paused' ? 'paused' : (backfill.reason ?? 'user');
  const after = new Map(found);
  const pending = toStop(backfill, found);
  for (let from = 0; from < pending.length; from += STOPPED_AT_ONCE) {
    const batch = pending.slice(from, from + STOPPED_AT_ONCE).map(async (one) => {
      const stopped = await cancelWhilePending(deps, backfill, one, reason, now);
      if (stopped) after.set(one.scheduledTime, { ...stopped, status: 'cancelled', reason, finishedAt: now });
    });
    await Promise.all(batch);
  }
  return after;
}

/** Times that one is cancelled anew because it came to wait for a place, or was called from there, meanwhile. */
const MAX_CANCELS = 3;

/**
 * The occurrence as it was when it was cancelled. Undefined for one that has moved on: it is seen as it is next time,
 * and should it start, its worker asks the backfill.
 */
async function cancelWhilePending(
  deps: AdvanceDeps,
  backfill: Backfill,
  seen: PendingOccurrence,
  reason: CancelReason,
  now: EpochMs,
): Promise<PendingOccurrence | undefined> {
  let pending: PendingOccurrence | undefined = seen;
  for (let tries = 0; pending && tries < MAX_CANCELS; tries += 1) {
    if ((await deps.occurrences.cancel(pending, reason, now)).kind === 'done') return pending;
    const found = await deps.occurrences.readOccurrence(seen);
    [pending] = found ? toStop(backfill, new Map([[found.scheduledTime, found]])) : [];
  }
  return undefined;
}

interface Made {
  readonly create: readonly PlannedOccurrence[];
  readonly backfill: Backfill;
  readonly more: boolean;
}

/** What was on hold first, then as many new times as may exist ahead. */
async function make(
  deps: AdvanceDeps,
  backfill: Backfill,
  again: readonly EpochMs[],
  head: ScheduleHead,
  policy: PlanningPolicy,
  now: EpochMs,
): Promise<Made> {
  const recurrence = headRecurrence({ ...head, policy });
  const held = again.slice(0, MAX_CREATED).map((at) => ({ at, notes: [] }));
  const room = Math.min(aheadOf(backfill) - backfill.open.length, MAX_CREATED - held.length);
  const filled = await fill(deps, backfill, { recurrence, plannedFrom: plannedFrom(head), room });
  const create = [...held, ...filled.fires].map(
    (fire, index): PlannedOccurrence => ({
      ...occurrenceKeyIn(backfill, fire.at),
      // A millisecond apart, so that those that wait in a line wait in the order of the backfill.
      dueAt: epochMs(now + index),
      ...(policy.pullQueue !== undefined && { pullQueue: policy.pullQueue }),
      notes: fire.notes,
      ...retentionOf(policy),
    }),
  );
  const { counts } = backfill;
  const decided = {
    ...counts,
    skipped: counts.skipped + filled.skipped,
    created: counts.created + filled.fires.length,
  };
  const open = [...backfill.open, ...filled.fires.map(({ at }) => at)];
  const more = again.length > held.length || (filled.cursor !== null && open.length < aheadOf(backfill));
  return { create, backfill: { ...backfill, counts: decided, open, cursor: filled.cursor }, more };
}

/** From here on the schedule itself has yet to create its occurrences; an enabled one will. */
function plannedFrom(head: ScheduleHead): EpochMs | null {
  return head.state === 'enabled' ? head.nextDueAt : null;
}

/** With its state and the time of the next look; `alive` of its occurrences run or are to run by themselves. */
function settled(backfill: Backfill, alive: number, now: EpochMs): Backfill {
  const done = backfill.cursor === null && backfill.open.length === 0;
  const next: Backfill = { ...backfill, version: backfill.version + 1, updatedAt: now };
  if (backfill.state === 'running' && done) {
    // Zone data may have changed while it ran: what was decided is what there was.
    const total = backfill.counts.skipped + backfill.counts.created;
    const counts = { ...backfill.counts, total };
    return { ...next, state: 'completed', counts, nextDueAt: null, finishedAt: now };
  }
  if (isFinished(next)) return { ...next, nextDueAt: null, finishedAt: now };
  if (backfill.state === 'paused' && alive === 0) return { ...next, nextDueAt: null };
  return { ...next, nextDueAt: epochMs(now + CHECK_EVERY) };
}

function isChanged(seen: Backfill, next: Backfill, create: readonly unknown[]): boolean {
  return (
    create.length > 0 ||
    seen.state !== next.state ||
    seen.cursor !== next.cursor ||
    seen.open.length !== next.open.length ||
    (seen.nextDueAt === null) !== (next.nextDueAt === null)
  );
}
