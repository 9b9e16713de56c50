import pMap from 'p-map';
import { splitScheduleId } from '../../core/ids.ts';
import type { ScheduleHead, ZoneMove } from '../../core/schedule/head.ts';
import { headRecurrence } from '../../core/schedule/head-recurrence.ts';
import { type EpochMs, toIso } from '../../core/time.ts';
import { isOfOlderZones, nextNow } from '../../core/zones/follow-zones.ts';
import type { ChangeDeps } from '../deps.ts';
import { listSchedules } from '../schedules/list-schedules.ts';
import type { ZonesReport } from './zones-schema.ts';

const CONCURRENCY = 16;

/** Schedules whose next time is, by the zone data here, another than it was planned with: page by page. */
export async function reportZones(
  deps: Pick<ChangeDeps, 'schedules' | 'occurrences' | 'zoneData'>,
  query: { readonly limit: number; readonly cursor?: string | undefined },
  now: EpochMs,
): Promise<ZonesReport> {
  const { items, cursor } = await listSchedules(deps, query);
  const moves = await pMap(items, ({ head }) => moveOf(deps, head, now), { concurrency: CONCURRENCY });
  return {
    zoneData: deps.zoneData,
    looked: items.length,
    items: moves.filter((move) => move !== undefined),
    ...(cursor !== undefined && { cursor }),
  };
}

async function moveOf(
  { occurrences, zoneData }: Pick<ChangeDeps, 'occurrences' | 'zoneData'>,
  head: ScheduleHead,
  now: EpochMs,
): Promise<ZonesReport['items'][number] | undefined> {
  if (isOfOlderZones(head, zoneData)) {
    const to = await nextNow(occurrences, head, headRecurrence(head), now);
    if (to === head.nextDueAt) return undefined;
    return view(head, 'moves', {
      from: head.nextDueAt,
      to,
      ...(head.zoneData !== undefined && { zoneData: head.zoneData }),
    });
  }
  return head.zoneMove && view(head, 'moved', head.zoneMove);
}

function view(
  { id, policy }: ScheduleHead,
  state: 'moved' | 'moves',
  { from, to, zoneData = null }: Omit<ZoneMove, 'zoneData'> & { readonly zoneData?: string | null },
) {
  return {
    ...splitScheduleId(id),
    timezone: policy.timezone,
    state,
    from: toIso(from),
    to: to === null ? null : toIso(to),
    zoneData,
  };
}
