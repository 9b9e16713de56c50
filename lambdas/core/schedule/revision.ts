import type { ScheduleId } from '../ids.ts';
import type { EpochMs } from '../time.ts';
import type { PinnedCalendar } from './calendar.ts';
import type { Definition } from './definition.ts';

/** A definition under its number; never changed once written. */
export interface Revision {
  readonly schedule: ScheduleId;
  readonly revision: number;
  readonly definition: Definition;
  /** What its calendars were when it was made, in the order that the definition names them. */
  readonly calendars?: readonly PinnedCalendar[];
  readonly createdAt: EpochMs;
  readonly createdBy: string;
  /** Orders the limit of its shared key among those that others gave it, where `createdAt` would say it was before them. */
  readonly keySince?: EpochMs;
}
