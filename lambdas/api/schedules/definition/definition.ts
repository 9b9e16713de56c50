import type { AllowList } from '../../../contract/allow/allow-list.ts';
import { PunctualError } from '../../../core/errors.ts';
import type { ScheduleId } from '../../../core/ids.ts';
import type { Json } from '../../../core/json.ts';
import { type DstPolicy, type RecurrenceSpec, requireFuture } from '../../../core/recurrence/index.ts';
import type { PinnedCalendar } from '../../../core/schedule/calendar.ts';
import { type Definition, timesOf } from '../../../core/schedule/definition.ts';
import { planningPolicy } from '../../../core/schedule/head.ts';
import { headRecurrence } from '../../../core/schedule/head-recurrence.ts';
import type { EpochMs } from '../../../core/time.ts';
import { canonicalJson } from '../../request/canonical-json.ts';
import type { recurrenceFields } from '../schema/recurrence-schema.ts';
import type { ScheduleBody } from '../schema/schedule-schema.ts';
import { runPolicyOf } from './run-policy.ts';

/** The definition in a body whose schema has filled in the defaults. */
export function definitionOf(body: ScheduleBody): Definition {
  return {
    ...recurrenceOf(body),
    ...(body.maxRuns !== undefined && { maxRuns: body.maxRuns }),
    target: body.target,
    input: body.input as Json,
    retry: body.retry,
    timeout: body.timeout,
    ...(body.startDeadline !== undefined && { startDeadline: body.startDeadline }),
    catchUp: body.catchUp,
    ...runPolicyOf(body),
    tags: body.tags,
    ...(body.description !== undefined && { description: body.description }),
  };
}

/** The fields that say when. What chooses nothing is left out, so that it is no edit either. */
export function recurrenceOf(body: Pick<ScheduleBody, keyof typeof recurrenceFields>): RecurrenceSpec {
  const { expression, timezone, dst, dayRule, exclude, calendars, onExcluded, startAt, endAt, window } = body;
  return {
    expression,
    timezone,
    ...(dst && dstOf(dst)),
    ...(dayRule === 'and' && { dayRule }),
    ...(exclude && exclude.length > 0 && { exclude }),
    ...(calendars && calendars.length > 0 && { calendars }),
    ...(onExcluded !== undefined && onExcluded !== 'skip' && { onExcluded }),
    ...(startAt !== undefined && { startAt }),
    ...(endAt !== undefined && { endAt }),
    ...(window !== undefined && { window }),
  };
}

/** An empty policy chooses nothing and is left out, so that it is no edit either. */
function dstOf(dst: NonNullable<ScheduleBody['dst']>): { readonly dst?: Partial<DstPolicy> } {
  const chosen: Partial<DstPolicy> = {
    ...(dst.gap !== undefined && { gap: dst.gap }),
    ...(dst.overlap !== undefined && { overlap: dst.overlap }),
  };
  return Object.keys(chosen).length > 0 ? { dst: chosen } : {};
}

/** Without the keys that are there and undefined: a definition has a field or has it not. */
export function sameDefinition(a: Definition, b: Definition): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/** Refuses what the deployment may not call. Asked for each definition that is written: also by an edit of the rest. */
export function assertAllowed(allowed: AllowList, { target }: Pick<Definition, 'target'>): void {
  const refusal = allowed.refusalOf(target);
  if (!refusal) return;
  const { code, message, field, value } = refusal;
  throw new PunctualError(code, message, { field, value });
}

/** Refuses time text that cannot be read, and when nothing of it lies after `now`. */
export function assertFires(
  id: ScheduleId,
  definition: Definition,
  calendars: readonly PinnedCalendar[],
  anchor: EpochMs,
  now: EpochMs,
): void {
  requireFuture(headRecurrence({ id, policy: planningPolicy(definition, calendars), anchor }), now);
}

/** Whether an edit leaves the time text alone: one whose times are over may still get, say, a description. */
export function sameTimes(a: Definition, b: Definition): boolean {
  const times = (of: Definition) => canonicalJson([timesOf(of), of.maxRuns ?? null]);
  return times(a) === times(b);
}

/** Whether an edit leaves the times alone, however many of them may run. */
export function sameRecurrence(a: Definition, b: Definition): boolean {
  return canonicalJson(timesOf(a)) === canonicalJson(timesOf(b));
}

/** Whether an edit changes nothing but what people read and are told of. */
export function sameRuns(a: Definition, b: Definition): boolean {
  const runs = ({ description: _, tags: __, expectSuccessWithin: ___, metrics: ____, ...rest }: Definition) =>
    canonicalJson(rest);
  return runs(a) === runs(b);
}
