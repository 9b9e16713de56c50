import type { WorkMessage } from '../contract/message.ts';
import { type OccurrenceId, occurrenceId, parseOccurrenceId, splitScheduleId } from '../core/ids.ts';
import type { RunningOccurrence } from '../core/occurrence.ts';
import type { Clock, OccurrenceStore, ScheduleStore, WorkQueue } from '../core/ports.ts';
import type { Revision } from '../core/schedule.ts';
import { whyNotInForce } from '../core/standing.ts';
import { type EpochMs, epochMs, SECOND } from '../core/time.ts';
import { type AttemptDeps, type AttemptEnd, runAttempt } from './attempt.ts';

/**
 * A message is delivered up to a second early, and the worker waits that out. One that is earlier than this is
 * not due for long (a delay beyond what SQS can hold) and is sent on instead of keeping a worker busy.
 */
const MAX_WAIT = 2 * SECOND;

export interface WorkDeps extends AttemptDeps {
  readonly clock: Clock;
  readonly occurrences: Pick<OccurrenceStore, 'claim' | 'renew' | 'settle' | 'miss'>;
  readonly schedules: Pick<ScheduleStore, 'readHead'>;
  readonly revisionOf: (occurrence: RunningOccurrence) => Promise<Revision | undefined>;
  readonly queue: WorkQueue;
  readonly leaseMs: number;
}

/** What became of one message; each is a normal end, and the message is done with. */
export type WorkEnd =
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** Not due for long; sent again with the delay that is left. */
  | { readonly kind: 'sent-on'; readonly id: OccurrenceId }
  /** Nothing to start: running elsewhere, finished, cancelled, or this message is a copy. */
  | { readonly kind: 'dropped'; readonly id: OccurrenceId; readonly found: string }
  | { readonly kind: 'missed'; readonly id: OccurrenceId }
  | { readonly kind: 'cancelled'; readonly id: OccurrenceId; readonly reason: string }
  | (AttemptEnd & { readonly id: OccurrenceId; readonly attempt: number; readonly startDelayMs: number });

/**
 * Starts what a message says is due. The message decides nothing: the claim is conditional on the occurrence
 * being pending and due, so that copies, late and early messages do no harm.
 */
export async function work(deps: WorkDeps, message: WorkMessage, holder: string): Promise<WorkEnd> {
  const key = parseOccurrenceId(message.id);
  if (!key) return { kind: 'unreadable', reason: `Not an occurrence id: ${message.id.slice(0, 200)}` };
  const id = occurrenceId(key);
  const dueAt = epochMs(message.dueAt);
  if (dueAt - deps.clock.now() > MAX_WAIT) return sendOn(deps, id, message.seq, dueAt);
  await deps.clock.until(dueAt);

  const now = deps.clock.now();
  const claim = await deps.occurrences.claim(key, { holder, expiresAt: epochMs(now + deps.leaseMs) }, now);
  if (claim.kind === 'claimed') return start(deps, id, claim.occurrence);

  const found = claim.occurrence;
  if (found?.status !== 'pending') return { kind: 'dropped', id, found: found?.status ?? 'absent' };
  if (found.startBy !== undefined && found.startBy < now) {
    const missed = await deps.occurrences.miss(found, now);
    return missed.kind === 'done' ? { kind: 'missed', id } : { kind: 'dropped', id, found: 'changed' };
  }
  // Pending and due later: an older message of one that waits for a retry, unless this is its own.
  if (found.dispatchSeq !== message.seq) return { kind: 'dropped', id, found: 'pending' };
  return sendOn(deps, id, message.seq, found.dueAt);
}

async function sendOn(deps: WorkDeps, id: OccurrenceId, seq: number, dueAt: EpochMs): Promise<WorkEnd> {
  const group = groupOf(id);
  const [refused] = await deps.queue.send([{ id, seq, dueAt, group }], deps.clock.now());
  // Thrown, the message stays on the queue and comes again: nothing is lost.
  if (refused) throw new Error(`${id} could not be sent on: ${refused.reason}`);
  return { kind: 'sent-on', id };
}

function groupOf(id: OccurrenceId): string {
  const key = parseOccurrenceId(id);
  return key ? splitScheduleId(key.schedule).group : '';
}

async function start(deps: WorkDeps, id: OccurrenceId, running: RunningOccurrence): Promise<WorkEnd> {
  // Side by side: the revision is nearly always cached, the head must be read after the claim (standing.ts).
  const [head, revision] = await Promise.all([
    deps.schedules.readHead(running.schedule),
    deps.revisionOf(running),
  ]);
  const reason = whyNotInForce(running, head);
  if (reason !== null) {
    const settled = await deps.occurrences.settle(running, { kind: 'cancelled', reason }, deps.clock.now());
    return settled.kind === 'done'
      ? { kind: 'cancelled', id, reason }
      : { kind: 'dropped', id, found: 'changed' };
  }
  const startDelayMs = running.attemptStartedAt - running.dueAt;
  const end = await runAttempt(deps, id, running, revision);
  return { ...end, id, attempt: running.attempt, startDelayMs };
}
