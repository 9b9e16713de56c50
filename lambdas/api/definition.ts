import type { ScheduleBody } from '../contract/api/schedule.ts';
import { headRecurrence } from '../core/head-recurrence.ts';
import type { ScheduleId } from '../core/ids.ts';
import { type DstPolicy, requireFuture } from '../core/recurrence/index.ts';
import { type Definition, type Json, planningPolicy, type Target } from '../core/schedule.ts';
import type { EpochMs } from '../core/time.ts';
import { canonicalJson } from './canonical-json.ts';
import { runPolicyOf } from './run-policy.ts';

/** The definition in a body whose schema has filled in the defaults. */
export function definitionOf(body: ScheduleBody): Definition {
  return {
    expression: body.expression,
    timezone: body.timezone,
    ...(body.dst && dstOf(body.dst)),
    // JSON has no undefined: an optional member of a target is there with a value or not at all.
    target: body.target as Target,
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

/** An empty policy chooses nothing and is left out, so that it is no edit either. */
export function dstOf(dst: NonNullable<ScheduleBody['dst']>): { readonly dst?: Partial<DstPolicy> } {
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

/** Refuses time text that cannot be read, and when nothing of it lies after `now`. */
export function assertFires(id: ScheduleId, definition: Definition, anchor: EpochMs, now: EpochMs): void {
  requireFuture(headRecurrence({ id, policy: planningPolicy(definition), anchor }), now);
}

/** Whether an edit leaves the time text alone: one whose times are over may still get, say, a description. */
export function sameTimes(a: Definition, b: Definition): boolean {
  const times = ({ expression, timezone, dst }: Definition) =>
    canonicalJson([expression, timezone, dst ?? null]);
  return times(a) === times(b);
}

/** Whether an edit changes nothing but what people read. */
export function sameRuns(a: Definition, b: Definition): boolean {
  const runs = ({ description: _, tags: __, ...rest }: Definition) => canonicalJson(rest);
  return runs(a) === runs(b);
}
