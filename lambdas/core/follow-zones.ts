import type { OccurrenceStore } from './ports.ts';
import type { Recurrence } from './recurrence/types.ts';
import type { ScheduleHead } from './schedule.ts';
import { type EpochMs, epochMs } from './time.ts';
import { nextByZones, staysByZones } from './zone-change.ts';
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

/**
 * Whether a head was planned with older zone data than that of whoever asks. Forward only: while a deployment changes
 * its runtime, old and new ones take turns, and each would undo what the other has moved.
 */
export function isOfOlderZones(
  head: ScheduleHead,
  zoneData: string | undefined,
): head is ScheduleHead & { readonly nextDueAt: EpochMs } {
  return (
    zoneData !== undefined &&
    head.state === 'enabled' &&
    head.nextDueAt !== null &&
    isNewerZoneData(zoneData, head.zoneData)
  );
}
