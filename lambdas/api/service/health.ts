import { scheduleId } from '../../core/ids.ts';
import { epochMs } from '../../core/time.ts';
import type { ChangeDeps } from '../deps.ts';

/** A name that no schedule can have. */
const NOBODY = scheduleId('-', 'health');

/** Reads one absent item of each table: permissions, names and the engine itself are in order. */
export async function checkHealth(deps: Pick<ChangeDeps, 'schedules' | 'occurrences'>): Promise<void> {
  const key = { schedule: NOBODY, scheduledTime: epochMs(0), revision: 1, kind: 'scheduled' } as const;
  await Promise.all([deps.schedules.readHead(NOBODY), deps.occurrences.readOccurrence(key)]);
}
