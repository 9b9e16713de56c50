import type * as z from 'zod';
import type { OccurrenceStore } from '../../core/ports/occurrence-store.ts';
import type { GroupSettings } from '../../core/schedule/group.ts';
import { startedIn } from '../../core/schedule/group.ts';
import { applyLimit } from '../../core/slots/fill.ts';
import { groupSlot } from '../../core/slots/needs.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Caller, Schedules } from '../deps.ts';
import { countSchedules } from './count-schedules.ts';
import type { groupBody, groupView } from './group-schema.ts';

type GroupView = z.output<typeof groupView>;

/** Any name is that of a group: one that nothing was said about has no limit. */
export async function getGroup(
  { schedules }: { readonly schedules: Pick<Schedules, 'readGroup'> },
  group: string,
  now: EpochMs,
): Promise<GroupView> {
  const state = await schedules.readGroup(group);
  const { concurrencyLimit, maxSchedules, maxFiresPerMinute, maxInputBytes } = state?.settings ?? {};
  const count = state?.count;
  return {
    group,
    concurrencyLimit: concurrencyLimit ?? null,
    maxSchedules: maxSchedules ?? null,
    maxFiresPerMinute: maxFiresPerMinute ?? null,
    maxInputBytes: maxInputBytes ?? null,
    use: count
      ? {
          schedules: count.schedules,
          firesPerMinute: count.fires,
          startedThisMinute: startedIn(count, now),
          inputBytes: count.bytes,
        }
      : null,
  };
}

/**
 * Quotas are in force at once, and so is another concurrency limit; the first one within seconds: workers remember that
 * long that there is none. What there is
 * already goes on. The settings come first: whatever is created from then on is counted by itself.
 */
export async function setGroup(
  deps: {
    readonly schedules: Pick<Schedules, 'readGroup' | 'writeGroup' | 'listSchedules' | 'adoptSchedules'>;
    readonly occurrences: Pick<OccurrenceStore, 'slots'>;
  },
  group: string,
  body: Omit<z.output<typeof groupBody>, 'group' | 'use'>,
  { now }: Pick<Caller, 'now'>,
): Promise<GroupView> {
  const given = Object.entries(body).filter(([, limit]) => limit !== null);
  await deps.schedules.writeGroup(group, Object.fromEntries(given) as GroupSettings, now);
  const state = await deps.schedules.readGroup(group);
  const { concurrencyLimit: limit, limitSince: since = now } = state?.settings ?? {};
  await applyLimit(deps.occurrences.slots, { slot: groupSlot(group), limit, since }, now);
  if (state?.count) await countSchedules(deps.schedules, group, state.count.epoch, now);
  return getGroup(deps, group, now);
}
