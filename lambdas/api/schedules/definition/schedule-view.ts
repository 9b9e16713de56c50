import { splitScheduleId } from '../../../core/ids.ts';
import type { ScheduleRecord } from '../../../core/ports/schedule-store.ts';
import type { Recurrence } from '../../../core/recurrence/types.ts';
import { type Definition, timesOf } from '../../../core/schedule/definition.ts';
import type { ScheduleHead, ScheduleState } from '../../../core/schedule/head.ts';
import { headRecurrence } from '../../../core/schedule/head-recurrence.ts';
import type { Pause } from '../../../core/schedule/pause.ts';
import { successExpectedBy } from '../../../core/schedule/watch.ts';
import { type EpochMs, epochMs, MINUTE, toIso } from '../../../core/time.ts';
import type { ScheduleView } from '../schema/schedule-schema.ts';
import type { Outlook } from './outlook.ts';
import { runPolicyView } from './run-policy.ts';
import { targetWarnings } from './target-warnings.ts';

/** A schedule as JSON. */
export function scheduleViewOf(
  { head, revision }: ScheduleRecord,
  now: EpochMs,
  { state, next }: Outlook,
  lastSuccessAt: EpochMs | undefined,
): ScheduleView {
  const recurrence = headRecurrence(head);
  return {
    ...splitScheduleId(head.id),
    state: shownState(state),
    revision: head.revision,
    version: head.version,
    ...definitionView(revision.definition),
    createdAt: toIso(head.createdAt),
    updatedAt: toIso(head.updatedAt),
    nextScheduledTime: next && toIso(next),
    ...(head.pause && pauseView(head.pause)),
    ...(head.remainingRuns !== undefined && { remainingRuns: head.remainingRuns }),
    ...(head.policy.expectSuccessWithin !== undefined && watchView(head, now, lastSuccessAt)),
    recurrence: recurrence.description,
    warnings: [...recurrence.warnings(now), ...targetWarnings(revision.definition.target)],
  };
}

/** A plan goes at most so far beyond the clock that it is made by. */
const FARTHEST_PLAN = 16 * MINUTE;

/**
 * Times that are planned farther ahead than any plan goes were planned before the clock was set back, and most of them
 * have run: the next one that is sure is the first that is not planned.
 */
export function comingFrom(head: ScheduleHead, recurrence: Pick<Recurrence, 'next'>, now: EpochMs): EpochMs {
  const { state, nextDueAt } = head;
  const beyond = recurrence.next(epochMs(now + FARTHEST_PLAN))?.at;
  const isBehind = state === 'enabled' && nextDueAt !== null && beyond !== undefined && beyond < nextDueAt;
  return isBehind ? epochMs(nextDueAt - 1) : now;
}

function watchView(head: ScheduleHead, now: EpochMs, lastSuccessAt: EpochMs | undefined) {
  const by = successExpectedBy(head, lastSuccessAt);
  return {
    lastSuccessAt: lastSuccessAt === undefined ? null : toIso(lastSuccessAt),
    successExpectedBy: by === null ? null : toIso(by),
    successOverdue: by !== null && by <= now,
  };
}

function pauseView({ note, since, by, until }: Pause) {
  return {
    ...(note !== undefined && { pauseNote: note }),
    pausedSince: toIso(since),
    pausedBy: by,
    ...(until !== undefined && { pausedUntil: toIso(until) }),
  };
}

/** The definition field by field, so that what later fields are shown is a decision. */
function definitionView(definition: Definition) {
  const { maxRuns, target, input, retry, timeout, startDeadline, catchUp } = definition;
  return {
    ...recurrenceView(definition),
    ...(maxRuns !== undefined && { maxRuns }),
    target: targetView(target),
    input,
    retry,
    timeout,
    ...(startDeadline !== undefined && { startDeadline }),
    catchUp,
    ...runPolicyView(definition),
    tags: { ...definition.tags },
    ...(definition.description !== undefined && { description: definition.description }),
  };
}

/** As it was given: of a secret its place. */
function targetView(target: Definition['target']): ScheduleView['target'] {
  if (target.kind === 'canary') throw new Error('The canary is not shown.');
  return target;
}

function recurrenceView(definition: Definition) {
  const { expression, exclude, calendars, ...times } = timesOf(definition);
  return {
    ...times,
    expression: typeof expression === 'string' ? expression : [...expression],
    ...(exclude && { exclude: [...exclude] }),
    ...(calendars && { calendars: [...calendars] }),
  };
}

export function shownState(state: ScheduleState): Exclude<ScheduleState, 'deleted'> {
  if (state === 'deleted') throw new Error('A deleted schedule is not shown.');
  return state;
}
