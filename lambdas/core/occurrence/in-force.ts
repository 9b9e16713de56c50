import type { OccurrenceKey } from '../ids.ts';
import type { ScheduleHead } from '../schedule/head.ts';
import type { CancelReason } from './occurrence.ts';

/** Whether something belongs to the schedule as it is, and not to one of its name that was deleted before it was made. */
export function isOf(
  { revision }: Pick<OccurrenceKey, 'revision'>,
  head: Pick<ScheduleHead, 'firstRevision'>,
): boolean {
  return revision >= (head.firstRevision ?? 1);
}

type Revisions = Pick<ScheduleHead, 'revision' | 'oldestRevision' | 'adoptedThrough'>;

/** Whether an occurrence of an older revision goes on by the one in force. A replay, a person's, stays as it was. */
export function isAdopted(
  { kind, revision, scheduledTime, replays = 0 }: Adoptable,
  { revision: current, oldestRevision = current, adoptedThrough }: Revisions,
): boolean {
  const isOlder = kind === 'scheduled' && replays === 0 && revision < oldestRevision;
  return isOlder && adoptedThrough !== undefined && scheduledTime <= adoptedThrough;
}

type Adoptable = Pick<OccurrenceKey, 'kind' | 'revision' | 'scheduledTime'> & { readonly replays?: number };

/**
 * Whether an occurrence may still start, by the head as it is now: null, or why not. A worker asks this after
 * its claim, with a consistent read: an edit that returned before the claim is then always seen, and one that
 * comes after it finds the occurrence running (docs/guarantees.md, 8). Manual and replayed occurrences were asked
 * for by a person, so only the deletion of their schedule stops them.
 */
export function whyNotInForce(
  occurrence: Adoptable,
  head: (Pick<ScheduleHead, 'state' | 'firstRevision'> & Revisions) | undefined,
): CancelReason | null {
  if (head === undefined || head.state === 'deleted' || !isOf(occurrence, head)) return 'deleted';
  if (occurrence.kind !== 'scheduled' || (occurrence.replays ?? 0) > 0) return null;
  const { revision } = occurrence;
  // Beyond the head's own: of a change that was lost. Nothing of the kind is known; it would not be in force.
  const isOlder = revision < (head.oldestRevision ?? head.revision);
  if (revision > head.revision || (isOlder && !isAdopted(occurrence, head))) return 'superseded';
  return head.state === 'paused' ? 'paused' : null;
}
