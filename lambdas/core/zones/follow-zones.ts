import { isMoved } from '../occurrence/notes.ts';
import {
  type Decision,
  type Decisions,
  decideApart,
  isDone,
  isLeftByPause,
  isMoveAhead,
  movedAgain,
  skippedAgain,
} from '../planning/decisions.ts';
import type { OccurrenceStore } from '../ports/occurrence-store.ts';
import type { Recurrence } from '../recurrence/types.ts';
import type { ScheduleHead, ScheduleState } from '../schedule/head.ts';
import { type EpochMs, epochMs } from '../time.ts';
import { counterpart, nextByZones, staysByZones } from './zone-change.ts';
import { isNewerZoneData } from './zone-version.ts';

/** Records looked through for the last one of the plan; manual ones may stand between. */
const MAX_RECORDS = 25;

/**
 * Where planning of a head stands by the zone data of today; its own `nextDueAt` when that does not differ. One that
 * is due is planned as it was promised.
 */
export async function nextNow(
  occurrences: Pick<OccurrenceStore, 'listOccurrences'>,
  head: ScheduleHead & { readonly nextDueAt: EpochMs },
  recurrence: Recurrence,
  now: EpochMs,
): Promise<EpochMs | null> {
  const { id: schedule, nextDueAt, revision } = head;
  if (nextDueAt <= now || staysByZones(nextDueAt, recurrence, now)) return nextDueAt;
  const query = { schedule, to: epochMs(nextDueAt - 1), limit: MAX_RECORDS };
  const { items } = await occurrences.listOccurrences(query);
  const last = items.find(
    (one) => (one.kind === 'scheduled' || one.kind === 'range') && one.revision === revision,
  );
  return nextByZones(head, recurrence, last?.scheduledTime);
}

/** Decisions that one transaction takes with the head: each is an action, or two where a pending one moves. */
const MAX_DECISIONS = 45;

/**
 * What a person decided about times that other zone data has moved, put where those times now stand; in pieces that
 * are each safe alone. What was moved and has begun is not to run again. A skip stays where it was too, for a tick of
 * older data that comes late. `to`: where planning stands from now on; what it has passed stays as it was promised.
 */
export async function decisionsByZones(
  occurrences: Pick<OccurrenceStore, 'listOccurrences'>,
  head: ScheduleHead & { readonly nextDueAt: EpochMs },
  recurrence: Recurrence,
  to: EpochMs | null,
  now: EpochMs,
): Promise<readonly Decisions[]> {
  if (to === null) return [];
  const isPaused = head.state === 'paused';
  const from = isPaused ? epochMs(now + 1) : head.nextDueAt;
  const moved: Decision[] = [];
  const done: Decision[] = [];
  let cursor: string | undefined;
  do {
    const query = { schedule: head.id, from, kind: 'scheduled', oldestFirst: true, limit: 100 } as const;
    const page = await occurrences.listOccurrences({ ...query, ...(cursor !== undefined && { cursor }) });
    for (const record of page.items) {
      if (record.revision !== head.revision) continue;
      const at = isPaused || record.scheduledTime !== to ? counterpart(recurrence, record.scheduledTime) : to;
      if (at === undefined || at < to) continue;
      const isAhead =
        isMoveAhead(record, now) && (record.status === 'pending' || (isPaused && isLeftByPause(record)));
      if (isAhead) moved.push({ record, at });
      else if (isDone(record) || (record.status === 'pending' && isMoved(record))) done.push({ record, at });
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return piecesOf(head, moved, done);
}

function piecesOf(head: ScheduleHead, moved: readonly Decision[], done: readonly Decision[]): Decisions[] {
  const { moves, skips } = decideApart(moved, done);
  const isElsewhere = ({ record, at }: Decision) => at !== record.scheduledTime;
  const units = [
    ...moved.filter(isElsewhere).map((one) => ({
      create: moves.includes(one) ? [movedAgain(head, one)] : [],
      skipped: [],
      cancel: one.record.status === 'pending' ? [one.record] : [],
    })),
    ...skips
      .filter(isElsewhere)
      .map((one) => ({ create: [], skipped: [skippedAgain(head, one)], cancel: [] })),
  ];
  return Array.from({ length: Math.ceil(units.length / MAX_DECISIONS) }, (_, index) => {
    const piece = units.slice(index * MAX_DECISIONS, (index + 1) * MAX_DECISIONS);
    return {
      create: piece.flatMap(({ create }) => create),
      skipped: piece.flatMap(({ skipped }) => skipped),
      cancel: piece.flatMap(({ cancel }) => cancel),
    };
  });
}

/**
 * Whether a head was planned with older zone data than that of whoever asks. Forward only: while a deployment changes
 * its runtime, old and new ones take turns, and each would undo what the other has moved.
 */
export function isOfOlderZones(
  head: ScheduleHead,
  zoneData: string | undefined,
  states: readonly ScheduleState[] = ['enabled'],
): head is ScheduleHead & { readonly nextDueAt: EpochMs } {
  return (
    zoneData !== undefined &&
    states.includes(head.state) &&
    head.nextDueAt !== null &&
    isNewerZoneData(zoneData, head.zoneData)
  );
}
