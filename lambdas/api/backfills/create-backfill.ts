import type { Backfill } from '../../core/backfill/backfill.ts';
import { startOf } from '../../core/backfill/times.ts';
import { backfillToken } from '../../core/ids.ts';
import { retentionOf } from '../../core/planning/planner.ts';
import type { IdempotencyRecord } from '../../core/ports/idempotency-record.ts';
import type { ScheduleHead } from '../../core/schedule/head.ts';
import { headRecurrence } from '../../core/schedule/head-recurrence.ts';
import type { ApiDeps, Caller, ScheduleRequest } from '../deps.ts';
import { startInGroup } from '../groups/start-limit.ts';
import { recallAnswer } from '../http/idempotency.ts';
import { untilSettled } from '../occurrences/repeat.ts';
import { hashOf } from '../request/canonical-json.ts';
import { assertLive, readCurrentSchedule, scheduleNotFound } from '../schedules/change/current-schedule.ts';
import { moveOn } from './advance-now.ts';
import type { BackfillPlanView, CreateBackfillBody } from './backfill-schema.ts';
import { planBackfill } from './plan-backfill.ts';
import { rangeOf } from './range.ts';
import { assertBackfill } from './read-backfill.ts';

export interface CreateBackfillRequest extends ScheduleRequest {
  readonly body: CreateBackfillBody;
  readonly idempotencyKey?: string | undefined;
}

export type BackfillMade =
  | { readonly kind: 'planned'; readonly plan: BackfillPlanView }
  | { readonly kind: 'made'; readonly backfill: Backfill };

/** Makes a backfill by the revision in force and lets it begin at once; or, as a dry run, says what it would do. */
export async function createBackfill(deps: ApiDeps, request: CreateBackfillRequest): Promise<BackfillMade> {
  let starts = true;
  return untilSettled(request.id, async () => {
    const made = await tryCreate(deps, request, starts);
    starts = false;
    return made;
  });
}

/** Undefined when the schedule was edited between its read and the write. `starts`: its places in the group are not taken yet. */
async function tryCreate(
  deps: ApiDeps,
  request: CreateBackfillRequest,
  starts: boolean,
): Promise<BackfillMade | undefined> {
  const { id, body, caller } = request;
  const { now } = caller;
  const { head } = assertLive(await readCurrentSchedule(deps.schedules, id), id);
  const idempotency = idempotencyOf(request);
  const before = idempotency && !body.dryRun && (await recallAnswer(deps.schedules, idempotency, now));
  if (before) return { kind: 'made', backfill: await assertBackfill(deps, id, before) };

  const recurrence = headRecurrence(head);
  const { range, total } = rangeOf(body, recurrence, head.policy.timezone, now);
  if (body.dryRun) {
    const plan = await planBackfill(deps.backfills, head, recurrence, range, body.reprocess);
    return { kind: 'planned', plan };
  }
  // With as many as run at once: how soon one follows another is for the target to say.
  const atOnce = Math.min(total, body.maxConcurrent);
  if (atOnce > 0 && starts) await startInGroup(deps.schedules, id, atOnce, now);
  const backfill = newBackfill(request, head, { ...range, total }, caller);
  const result = { ...idempotency, result: backfill.id } as IdempotencyRecord;
  const made = await deps.backfills.createBackfill({
    backfill,
    ...(idempotency && { idempotency: result }),
    now,
  });
  if (made.kind === 'no-schedule') throw scheduleNotFound(id);
  if (made.kind === 'other-revision') return undefined;
  if (made.kind === 'conflict') {
    // The same request came twice at once.
    const other = idempotency && (await recallAnswer(deps.schedules, idempotency, now));
    return { kind: 'made', backfill: await assertBackfill(deps, id, other ?? backfill.id) };
  }
  return { kind: 'made', backfill: await moveOn(deps, backfill, now) };
}

function idempotencyOf({ id, body, idempotencyKey }: CreateBackfillRequest): IdempotencyRecord | undefined {
  if (idempotencyKey === undefined) return undefined;
  return { key: `backfill#${id}#${idempotencyKey}`, requestHash: hashOf(body), result: '' };
}

function newBackfill(
  { id, body, idempotencyKey }: CreateBackfillRequest,
  head: ScheduleHead,
  { from, to, order, total }: Pick<Backfill, 'from' | 'to' | 'order'> & { readonly total: number },
  { now, requestId, principal }: Caller,
): Backfill {
  return {
    schedule: id,
    id: backfillToken(now, `${id}#${idempotencyKey ?? requestId}`),
    revision: head.revision,
    state: 'running',
    version: 1,
    from,
    to,
    order,
    maxConcurrent: body.maxConcurrent,
    reprocess: body.reprocess,
    cursor: total === 0 ? null : startOf({ from, to, order }),
    open: [],
    counts: { total, skipped: 0, created: 0, succeeded: 0, failed: 0, cancelled: 0 },
    nextDueAt: now,
    ...retentionOf(head.policy),
    createdAt: now,
    createdBy: principal,
    updatedAt: now,
  };
}
