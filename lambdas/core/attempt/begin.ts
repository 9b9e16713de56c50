import { whyNotToRun } from '../backfill/in-force.ts';
import type { Dispatched, OccurrenceKey } from '../ids.ts';
import type { Json } from '../json.ts';
import { isAdopted, whyNotInForce } from '../occurrence/in-force.ts';
import type { CancelReason, Occurrence, RunningOccurrence } from '../occurrence/occurrence.ts';
import type { OccurrenceStore } from '../ports/occurrence-store.ts';
import type { ScheduleStore } from '../ports/schedule-store.ts';
import type { ScheduleHead } from '../schedule/head.ts';
import type { Revision } from '../schedule/revision.ts';
import { pullQueueOf } from '../targets/pull-queue.ts';
import { type EpochMs, SECOND } from '../time.ts';
import { backfillOf, type ClaimDeps, type ClaimEnd, claimWithOverlapPolicy } from './claim.ts';
import { settleWith } from './settle.ts';

export interface BeginDeps extends ClaimDeps {
  readonly occurrences: ClaimDeps['occurrences'] & Pick<OccurrenceStore, 'settle'>;
  readonly schedules: Pick<ScheduleStore, 'readHead'>;
  readonly revisionOf: (key: Pick<OccurrenceKey, 'schedule' | 'revision'>) => Promise<Revision | undefined>;
}

export type Begun =
  | {
      readonly kind: 'begun';
      readonly running: RunningOccurrence;
      readonly head: ScheduleHead;
      /** With the input that this very attempt is to have. */
      readonly revision: Revision | undefined;
    }
  | Exclude<ClaimEnd, { kind: 'claimed' }>
  /** Found, after the claim, to need other slots than those that it has taken; it is handed over again. */
  | { readonly kind: 'put-back' }
  /** Found, after the claim, to be of a definition that is no longer in force; cancelled. */
  | { readonly kind: 'not-in-force'; readonly reason: CancelReason };

/** Starts an attempt: claims the occurrence, and gives it up again when its definition is not in force. */
export async function beginAttempt(
  deps: BeginDeps,
  attempt: Dispatched,
  revision: Revision | undefined,
  holder: string,
  now: EpochMs,
): Promise<Begun> {
  const terms = await slotTerms(deps, attempt, revision, now);
  const claim = await claimWithOverlapPolicy(deps, attempt, terms, holder, now);
  if (claim.kind !== 'claimed') return claim;
  const running = claim.occurrence;
  // After the claim, and consistently: an edit that returned before it is seen here (in-force.ts).
  const head = await deps.schedules.readHead(running.schedule);
  const reason =
    attempt.kind === 'backfill'
      ? whyNotToRun(running, head, await backfillOf(deps, attempt))
      : whyNotInForce(running, head);
  if (head !== undefined && reason === null) {
    const inForce = await definitionOf(deps, running, head, revision);
    if (!needsSameSlots(terms, inForce)) return putBack(deps, running, now);
    return { kind: 'begun', running, head, revision: await withOwnInput(deps, running, inForce) };
  }
  const settlement = { kind: 'cancelled', reason: reason ?? 'deleted' } as const;
  const settled = await deps.occurrences.settle(running, settlement, now);
  if (settled.kind === 'done') return { kind: 'not-in-force', reason: settlement.reason };
  return { kind: 'not-claimable', occurrence: await deps.occurrences.readOccurrence(attempt) };
}

/** As far as a definition decides about them; the limit of a group is the same for all. */
function needsSameSlots(one: Revision | undefined, other: Revision | undefined): boolean {
  if (one === other) return true;
  const [a, b] = [one?.definition, other?.definition];
  return (
    a?.overlap === b?.overlap &&
    a?.concurrency?.key === b?.concurrency?.key &&
    a?.concurrency?.limit === b?.concurrency?.limit
  );
}

/** An edit that asks for other slots has taken it over just now. It comes again, and then asks for those. */
async function putBack(deps: BeginDeps, running: RunningOccurrence, now: EpochMs): Promise<Begun> {
  const { dueAt, startBy } = running;
  const again = { kind: 'retry', dueAt, ...(startBy !== undefined && { startBy }) } as const;
  const settled = await settleWith((end) => deps.occurrences.settle(running, end, now), again);
  if (settled.kind === 'done' && settled.settlement.kind === 'retry') return { kind: 'put-back' };
  return { kind: 'not-claimable', occurrence: await deps.occurrences.readOccurrence(running) };
}

/** An edit that takes over an occurrence comes after its nominal time; one that is started sooner after it has met none. */
const AT_ONCE = 2 * SECOND;

/**
 * The definition whose slots an attempt takes: that by which it will run. Nothing is read for one that starts on time, and
 * for the first time: no edit can have taken it over.
 */
async function slotTerms(
  deps: BeginDeps,
  attempt: Dispatched,
  own: Revision | undefined,
  now: EpochMs,
): Promise<Revision | undefined> {
  const isFirst = attempt.dispatchSeq === 1 && now - attempt.scheduledTime < AT_ONCE;
  if (!own || attempt.kind !== 'scheduled' || isFirst) return own;
  const head = await deps.schedules.readHead(attempt.schedule);
  if (!head || !isAdopted(attempt, head)) return own;
  // A replay stays as it was, and only its record says that it is one.
  const found = await deps.occurrences.readOccurrence(attempt);
  return found ? definitionOf(deps, found, head, own) : own;
}

/** What an attempt runs by, with the input that it is to have. */
export async function revisionToRun(
  deps: Pick<BeginDeps, 'revisionOf'>,
  running: RunningOccurrence,
  head: ScheduleHead,
  own: Revision | undefined,
): Promise<Revision | undefined> {
  return withOwnInput(deps, running, await definitionOf(deps, running, head, own));
}

/** Its own definition; or, after an edit that came while it waited, that of the edit, which may have mended what failed. */
async function definitionOf(
  deps: Pick<BeginDeps, 'revisionOf'>,
  occurrence: Occurrence,
  head: ScheduleHead,
  own: Revision | undefined,
): Promise<Revision | undefined> {
  if (!own || !isAdopted(occurrence, head)) return own;
  const inForce = await deps.revisionOf({ schedule: head.id, revision: head.revision });
  return inForce && queueOf(inForce) === queueOf(own) ? inForce : own;
}

/** Who is to run it: one that outside workers claim is not called by ours, nor the other way round. */
const queueOf = ({ definition }: Revision) => pullQueueOf(definition.target);

/**
 * The input that a person chose for an occurrence: a replay that asked for that of a later revision, else what
 * came with the trigger. Everything else is as its own revision says.
 */
async function withOwnInput(
  deps: Pick<BeginDeps, 'revisionOf'>,
  { schedule, inputRevision, inputOverride }: RunningOccurrence,
  revision: Revision | undefined,
): Promise<Revision | undefined> {
  if (!revision) return undefined;
  if (inputRevision !== undefined) {
    const other = await deps.revisionOf({ schedule, revision: inputRevision });
    return other && withInput(revision, other.definition.input);
  }
  return inputOverride === undefined ? revision : withInput(revision, JSON.parse(inputOverride) as Json);
}

function withInput(revision: Revision, input: Json): Revision {
  return { ...revision, definition: { ...revision.definition, input } };
}
