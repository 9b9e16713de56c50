import type { WorkMessage } from '../contract/message.ts';
import { type BeginDeps, type Begun, beginAttempt } from '../core/attempt/begin.ts';
import { askCatchUp, GO_ON, type LateClaimDeps } from '../core/attempt/late-claim.ts';
import { endTooLate, isTooLate, type TooLateDeps } from '../core/attempt/too-late.ts';
import {
  type Dispatched,
  fairGroup,
  type OccurrenceId,
  type OccurrenceKey,
  occurrenceId,
  type Places,
  parseOccurrenceId,
} from '../core/ids.ts';
import type { Occurrence } from '../core/occurrence/occurrence.ts';
import type { Clock } from '../core/ports/clock.ts';
import { tellNotRun } from '../core/ports/scheduler-events.ts';
import type { WorkQueue } from '../core/ports/work-queue.ts';
import { type EpochMs, epochMs, SECOND } from '../core/time.ts';
import { type AttemptDeps, type AttemptEnd, runAttempt } from './attempt.ts';

/**
 * A message is delivered up to a second early, and the worker waits that out. One that is earlier than this is
 * not due for long (a delay beyond what SQS can hold) and is sent on instead of keeping a worker busy.
 */
const MAX_WAIT = 2 * SECOND;

export interface WorkDeps extends AttemptDeps, BeginDeps {
  readonly clock: Clock;
  readonly schedules: BeginDeps['schedules'] & AttemptDeps['schedules'];
  readonly occurrences: AttemptDeps['occurrences'] &
    BeginDeps['occurrences'] &
    LateClaimDeps['occurrences'] &
    TooLateDeps['occurrences'];
  readonly queue: WorkQueue;
  /**
   * Lets few begin at once. When thousands are due, those that only find out that they have to wait must not keep the places
   * idle that are handed over meanwhile.
   */
  readonly oneOfFew?: <T>(begin: () => Promise<T>) => Promise<T>;
}

/** What became of one message; each is a normal end, and the message is done with. */
export type WorkEnd =
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** Not due for long; sent again with the delay that is left. */
  | { readonly kind: 'sent-on'; readonly id: OccurrenceId }
  /** Nothing to start: running elsewhere, finished, cancelled, or this message is a copy. */
  | { readonly kind: 'dropped'; readonly id: OccurrenceId; readonly found: string }
  | { readonly kind: 'missed'; readonly id: OccurrenceId }
  /** It comes late, and runs as catch-up at its place in the spread. */
  | { readonly kind: 'put-off'; readonly id: OccurrenceId; readonly dueAt: EpochMs }
  /** A retry that could not start in time; failed. */
  | { readonly kind: 'gave-up'; readonly id: OccurrenceId; readonly paused?: string }
  | { readonly kind: 'skipped'; readonly id: OccurrenceId; readonly by: OccurrenceId }
  | { readonly kind: 'waiting'; readonly id: OccurrenceId; readonly slot: string }
  /** An edit has taken it over, and asks for other slots than it had; handed over again. */
  | { readonly kind: 'put-back'; readonly id: OccurrenceId }
  /** Found, after the claim, to be of a definition that is no longer in force. */
  | { readonly kind: 'not-in-force'; readonly id: OccurrenceId; readonly reason: string }
  | (AttemptEnd & {
      readonly id: OccurrenceId;
      readonly attempt: number;
      readonly startDelayMs: number;
    });

/**
 * Starts what a message says is due. The message decides nothing: the claim is conditional on the occurrence
 * being pending and due under the sequence that the message names, so that copies, late and early messages do no harm.
 */
export async function work(
  deps: WorkDeps,
  message: WorkMessage,
  holder: string,
  holds?: Places,
): Promise<WorkEnd> {
  const key = parseOccurrenceId(message.id);
  if (!key) return { kind: 'unreadable', reason: `Not an occurrence id: ${message.id.slice(0, 200)}` };
  const id = occurrenceId(key);
  const dueAt = epochMs(message.dueAt);
  const attempt = {
    ...key,
    dispatchSeq: message.seq,
    ...(message.places && { places: message.places }),
    ...(holds && { holds }),
  };
  if (dueAt - deps.clock.now() > MAX_WAIT) return sendOn(deps, attempt, dueAt);

  // The revision never changes, so it is read while there is nothing to do but wait.
  const [revision] = await Promise.all([deps.revisionOf(key), deps.clock.until(dueAt)]);
  let now = deps.clock.now();
  // What was promised a place has asked for it in time.
  const late = message.places ? GO_ON : await askCatchUp(deps, key, dueAt, revision, now);
  if (late.kind === 'missed') await tellNotRun(deps, key.schedule, 'missed');
  if (late.kind !== 'go-on') return { ...late, id };
  const begin = () => {
    now = deps.clock.now();
    return beginAttempt(deps, attempt, revision, holder, now);
  };
  const begun = await (holds || !deps.oneOfFew ? begin() : deps.oneOfFew(begin));
  switch (begun.kind) {
    case 'begun':
      return run(deps, id, begun);
    case 'skipped':
      await tellNotRun(deps, key.schedule, 'skipped');
      return { ...begun, id };
    case 'waiting':
    case 'put-back':
    case 'not-in-force':
      return { ...begun, id };
    case 'not-claimable':
      return notClaimable(deps, key, message.seq, begun.occurrence, now);
  }
}

async function run(
  deps: WorkDeps,
  id: OccurrenceId,
  { running, head, revision }: Extract<Begun, { kind: 'begun' }>,
): Promise<WorkEnd> {
  const startDelayMs = running.attemptStartedAt - running.dueAt;
  const end = await runAttempt(deps, running, head, revision);
  return { ...end, id, attempt: running.attempt, startDelayMs };
}

async function notClaimable(
  deps: WorkDeps,
  key: OccurrenceKey,
  seq: number,
  found: Occurrence | undefined,
  now: EpochMs,
): Promise<WorkEnd> {
  const id = occurrenceId(key);
  if (found?.status !== 'pending') return { kind: 'dropped', id, found: found?.status ?? 'absent' };
  if (isTooLate(found, now)) {
    const end = await endTooLate(deps, found, now);
    return end.kind === 'changed' ? { kind: 'dropped', id, found: 'changed' } : { ...end, id };
  }
  // Pending and due later: an older message of one that waits for a retry, unless this is its own.
  if (found.dispatchSeq !== seq) return { kind: 'dropped', id, found: 'pending' };
  return sendOn(deps, found, found.dueAt);
}

async function sendOn(deps: WorkDeps, attempt: Dispatched, dueAt: EpochMs): Promise<WorkEnd> {
  const id = occurrenceId(attempt);
  const { dispatchSeq: seq, places = {} } = attempt;
  const has = Object.keys(places).length > 0;
  const message = { id, seq, dueAt, group: fairGroup(attempt), ...(has && { places }) };
  const [refused] = await deps.queue.send([message], deps.clock.now());
  // Thrown, the message stays on the queue and comes again: nothing is lost.
  if (refused) throw new Error(`${id} could not be sent on: ${refused.reason}`);
  return { kind: 'sent-on', id };
}
