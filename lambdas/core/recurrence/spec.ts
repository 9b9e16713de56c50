import type { EpochMs } from '../time.ts';
import type { DstPolicy } from './types.ts';

/** When a schedule runs, as its owner wrote it. */
export interface RecurrenceSpec {
  /** One time text, or several whose fires are united. */
  readonly expression: string | readonly string[];
  /** IANA name or offset. Everything local in the texts is local to it. */
  readonly timezone: string;
  /** What is absent follows the habit of the dialect (build.ts). */
  readonly dst?: Partial<DstPolicy>;
  /**
   * How crontab text combines day-of-month and day-of-week when both are given: `or`, as crontabs do when neither begins
   * with `*`; `and`, as Spring, Temporal, APScheduler and Cronos do. `or` when absent.
   */
  readonly dayRule?: DayRuleChoice;
  /** Dates (`2026-12-25`), ranges (`2026-12-24/2026-12-26`), times, or expressions whose times do not fire. */
  readonly exclude?: readonly string[];
  /** Names of calendars whose closed days do not fire. */
  readonly calendars?: readonly string[];
  /** What becomes of a fire on an excluded day; `skip` when absent. */
  readonly onExcluded?: 'skip' | 'next-business-day' | 'previous-business-day';
  /** Local time or instant; the first time that may fire. */
  readonly startAt?: string;
  /** Local time or instant; the last time that may fire. */
  readonly endAt?: string;
  /** ISO 8601 duration over which starts are spread by hash (jitter.ts). */
  readonly window?: string;
}

export type DayRuleChoice = 'or' | 'and';

/** What compiling depends on besides the spec. */
export interface CompileContext {
  /** The schedule id `group/name`: `H` and jitter are hashed from it. */
  readonly seed: string;
  /** Where intervals that name no anchor count from: the creation time. */
  readonly anchor: EpochMs;
  /** The named calendars; all that the spec names must be there. */
  readonly calendars?: ReadonlyMap<string, CalendarDefinition>;
}

/** Days on which nothing is open. */
export interface CalendarDefinition {
  /** Closed dates (`2026-12-25`) and ranges of dates (`2026-12-24/2027-01-01`, both included). */
  readonly dates: readonly string[];
  /** Days of the week that are always closed. */
  readonly closedWeekdays: readonly Weekday[];
  /** Whose calendar days these are; the schedule's zone when absent. */
  readonly timezone?: string;
}

export type Weekday = 'MON' | 'TUE' | 'WED' | 'THU' | 'FRI' | 'SAT' | 'SUN';
