import { whyNotToRun } from './backfill/standing.ts';
import { backfillOf, type ClaimDeps, type ClaimEnd, claimOrYield } from './claim.ts';
import type { Dispatched, OccurrenceKey } from './ids.ts';
import type { Json } from './json.ts';
import type { CancelReason, RunningOccurrence } from './occurrence.ts';
import type { OccurrenceStore, ScheduleStore } from './ports.ts';
import type { Revision, ScheduleHead } from './schedule.ts';
import { isAdopted, whyNotInForce } from './standing.ts';
import { pullQueueOf } from './targets/pull-queue.ts';
import type { EpochMs } from './time.ts';

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
  const claim = await claimOrYield(deps, attempt, revision, holder, now);
  if (claim.kind !== 'claimed') return claim;
  const running = claim.occurrence;
  // After the claim, and consistently: an edit that returned before it is seen here (standing.ts).
  const head = await deps.schedules.readHead(running.schedule);
  const reason =
    attempt.kind === 'backfill'
      ? whyNotToRun(running, head, await backfillOf(deps, attempt))
      : whyNotInForce(running, head);
  if (head !== undefined && reason === null) {
    return { kind: 'begun', running, head, revision: await revisionToRun(deps, running, head, revision) };
  }
  const settlement = { kind: 'cancelled', reason: reason ?? 'deleted' } as const;
  const settled = await deps.occurrences.settle(running, settlement, now);
  if (settled.kind === 'done') return { kind: 'not-in-force', reason: settlement.reason };
  return { kind: 'not-claimable', occurrence: await deps.occurrences.readOccurrence(attempt) };
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
  running: RunningOccurrence,
  head: ScheduleHead,
  own: Revision | undefined,
): Promise<Revision | undefined> {
  if (!own || !isAdopted(running, head)) return own;
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
