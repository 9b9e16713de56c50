import { DateTime } from 'luxon';
import type { Fire, Recurrence } from '../core/recurrence/types.ts';
import { type EpochMs, toIso } from '../core/time.ts';

export interface FireView {
  readonly scheduledTime: string;
  readonly local: string;
  readonly notes: Fire['notes'][number][];
}

/** The next `count` fires after `after`, with the local time that a person reads them by. */
export function firesAfter(
  recurrence: Recurrence,
  timezone: string,
  after: EpochMs,
  count: number,
): FireView[] {
  const fires: FireView[] = [];
  let fire = recurrence.next(after);
  while (fire && fires.length < count) {
    fires.push({
      scheduledTime: toIso(fire.at),
      local: localIso(fire.at, timezone),
      notes: [...fire.notes],
    });
    fire = recurrence.next(fire.at);
  }
  return fires;
}

function localIso(at: EpochMs, timezone: string): string {
  return DateTime.fromMillis(at, { zone: timezone }).toISO() ?? toIso(at);
}
