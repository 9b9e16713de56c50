import type { CalendarDefinition } from '../recurrence/index.ts';
import type { EpochMs } from '../time.ts';

/** A calendar as it stands. An edit makes the next version; versions never change once written. */
export interface Calendar {
  readonly name: string;
  readonly version: number;
  readonly definition: CalendarDefinition;
  readonly updatedAt: EpochMs;
  readonly updatedBy: string;
}

/**
 * The version of a calendar that a revision is made with. Pinned, so that what a revision means never changes: a
 * calendar that is edited gives each schedule that uses it a new revision.
 */
export interface PinnedCalendar {
  readonly name: string;
  readonly version: number;
  /** Undefined where it could not be read: the schedule is then refused by name instead of planned without it. */
  readonly definition: CalendarDefinition | undefined;
}

export function samePins(a: readonly PinnedCalendar[] = [], b: readonly PinnedCalendar[] = []): boolean {
  const text = (pins: readonly PinnedCalendar[]) =>
    pins.map(({ name, version }) => `${name}#${version}`).join();
  return text(a) === text(b);
}
