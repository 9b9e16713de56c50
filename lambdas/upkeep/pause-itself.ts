import type { ScheduleId } from '../core/ids.ts';
import type { PendingOccurrence } from '../core/occurrence.ts';
import { PAUSED_BY_ITSELF } from '../core/pause.ts';
import type { OccurrenceStore, ScheduleChange, ScheduleStore } from '../core/ports.ts';
import { withGivenBack } from '../core/runs-left.ts';
import type { ScheduleHead } from '../core/schedule.ts';
import { type EpochMs, epochMs, MINUTE } from '../core/time.ts';

export interface PauseItselfDeps {
  readonly schedules: Pick<ScheduleStore, 'readHead' | 'applyChange'>;
  readonly occurrences: Pick<OccurrenceStore, 'openOf'>;
}

/** Times that it is tried while ticks and people come between; the next failure tries again. */
const MAX_TRIES = 4;
/** Pending occurrences this much older than now are found by a consistent read, older ones by an index. */
const OPEN_SINCE = 5 * MINUTE;

/**
 * Pauses a schedule without a person having asked, as long as `still` holds of its head: as a pause by a person,
 * what is pending is cancelled in the same transaction. True when this call paused it.
 */
export async function pauseItself(
  deps: PauseItselfDeps,
  id: ScheduleId,
  note: string,
  still: (head: ScheduleHead) => Promise<boolean> | boolean,
  now: EpochMs,
): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const head = await deps.schedules.readHead(id);
    if (head?.state !== 'enabled' || !(await still(head))) return false;
    const open = await deps.occurrences.openOf(id, epochMs(now - OPEN_SINCE));
    const result = await deps.schedules.applyChange(changeOf(head, open, note, now));
    if (result.kind === 'applied') return true;
  }
  return false;
}

function changeOf(
  head: ScheduleHead,
  open: Awaited<ReturnType<OccurrenceStore['openOf']>>,
  note: string,
  now: EpochMs,
): ScheduleChange {
  const { nextDueAt, oldestRevision: _, ...rest } = head;
  const cancel = open
    .filter((one): one is PendingOccurrence => one.status === 'pending' && one.kind === 'scheduled')
    .sort((a, b) => a.dueAt - b.dueAt);
  return {
    expected: { version: head.version, nextDueAt },
    head: {
      ...rest,
      ...withGivenBack(head, cancel),
      state: 'paused',
      version: head.version + 1,
      nextDueAt: null,
      updatedAt: now,
      // Times that a tick owes are recorded with those of the pause, when it ends.
      pause: { since: now, by: PAUSED_BY_ITSELF, note, from: now, unrecorded: nextDueAt },
    },
    cancel,
    cancelReason: 'paused',
    create: [],
    records: [],
    now,
  };
}
