import type { ScheduleId } from '../ids.ts';
import type { PendingOccurrence } from '../occurrence/occurrence.ts';
import { refundRuns } from '../planning/runs-left.ts';
import type { OccurrenceStore } from '../ports/occurrence-store.ts';
import type { ScheduleChange, ScheduleStore } from '../ports/schedule-store.ts';
import type { SchedulerEvents } from '../ports/scheduler-events.ts';
import type { ScheduleHead } from '../schedule/head.ts';
import { PAUSED_BY_ITSELF } from '../schedule/pause.ts';
import type { EpochMs } from '../time.ts';

export interface PauseItselfDeps {
  readonly schedules: Pick<ScheduleStore, 'readHead' | 'applyChange'>;
  readonly occurrences: Pick<OccurrenceStore, 'openOf'>;
  readonly events: SchedulerEvents;
}

/** Times that it is tried while ticks and people come between; the next failure tries again. */
const MAX_TRIES = 4;

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
    if (!head || !isLive(head) || !(await still(head))) return false;
    const cancel = pendingAmong(await deps.occurrences.openOf(id));
    // Its last times may be created already, and are still to come.
    if (head.state === 'completed' && cancel.length === 0) return false;
    const result = await deps.schedules.applyChange(changeOf(head, cancel, note, now));
    if (result.kind === 'applied') {
      deps.events.schedulePaused(id);
      return true;
    }
  }
  return false;
}

const isLive = ({ state }: ScheduleHead) => state === 'enabled' || state === 'completed';

function pendingAmong(open: Awaited<ReturnType<OccurrenceStore['openOf']>>): PendingOccurrence[] {
  return (
    open
      .filter((one) => one.status === 'pending')
      // What a person asked for, a trigger or a replay, goes on.
      .filter((one) => one.kind === 'scheduled' && one.replays === 0)
      .sort((a, b) => a.dueAt - b.dueAt)
  );
}

function changeOf(
  head: ScheduleHead,
  cancel: readonly PendingOccurrence[],
  note: string,
  now: EpochMs,
): ScheduleChange {
  const { nextDueAt, oldestRevision: _, ...rest } = head;
  return {
    expected: { ...head, nextDueAt },
    head: {
      ...rest,
      ...refundRuns(head, cancel, head.remainingRuns),
      state: 'paused',
      version: head.version + 1,
      nextDueAt: null,
      updatedAt: now,
      // Times that a tick owes are recorded with those of the pause, when it ends.
      pause: {
        since: now,
        by: PAUSED_BY_ITSELF,
        note,
        from: now,
        unrecorded: head.state === 'enabled' ? nextDueAt : null,
      },
    },
    cancel,
    cancelReason: 'paused',
    create: [],
    records: [],
    now,
  };
}
