import type { ScheduleId } from '../ids.ts';
import type { RunningOccurrence } from '../occurrence/occurrence.ts';
import type { ScheduleHead } from '../schedule/head.ts';
import type { EpochMs } from '../time.ts';
import type { ScheduleStore } from './schedule-store.ts';

/** `retry`: the attempt failed, and there will be another. */
export type AttemptOutcome = 'succeeded' | 'failed' | 'retry';

/** `gave-up`: a retry that could not start in time. */
export type NotRun = 'missed' | 'skipped' | 'gave-up';

/**
 * What happened to occurrences, whoever came upon it. Each event is told in one place, once it is written, and whoever
 * implements this is the only one that counts it.
 */
export interface SchedulerEvents {
  attemptEnded(
    running: Pick<RunningOccurrence, 'schedule' | 'kind' | 'attempt' | 'dueAt' | 'attemptStartedAt'>,
    head: Pick<ScheduleHead, 'policy'> | undefined,
    outcome: AttemptOutcome,
    now: EpochMs,
  ): void;
  notRun(schedule: ScheduleId, head: Pick<ScheduleHead, 'policy'> | undefined, how: NotRun): void;
  /** A schedule was paused because of its failures. */
  schedulePaused(schedule: ScheduleId): void;
}

export interface EventDeps {
  readonly events: SchedulerEvents;
  readonly schedules: Pick<ScheduleStore, 'readHead'>;
}

/** Tells that an occurrence was not run, or not run again. There is no head at hand, and it is seldom: it is read for this. */
export async function tellNotRun(
  { events, schedules }: EventDeps,
  schedule: ScheduleId,
  how: NotRun,
): Promise<void> {
  events.notRun(schedule, await schedules.readHead(schedule), how);
}
