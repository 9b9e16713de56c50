/** What a cron text says, dialect and spelling resolved: Sunday is 0, names are numbers, `?` and `*` are full lists. */
export interface CronFields {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: DayRule;
  /** Whether the second, minute or hour field begins with `*`: such a text follows real time through DST changes. */
  readonly wildcardTime: boolean;
}

export interface DayRule {
  /** Bit n is day n of the month. */
  readonly daysOfMonth: number;
  /** `L` is 0 and `L-3` is 3: days before the last of the month. */
  readonly fromLast: readonly number[];
  /** `15W` is 15: the weekday (Monday to Friday) nearest to the day, within its month. */
  readonly nearest: readonly number[];
  /** `LW` is 0: the weekday nearest to that many days before the last. */
  readonly nearestFromLast: readonly number[];
  /** Bit n is weekday n, Sunday 0. */
  readonly weekdays: number;
  /** `5#3`: the third Friday; `5L` is -1, the last one, and `5#-2` the last but one. */
  readonly nthWeekdays: readonly { readonly weekday: number; readonly nth: number }[];
  /** Bit n is month n, January 1. */
  readonly months: number;
  /** Sorted; undefined is every year. */
  readonly years: readonly number[] | undefined;
  /** A field that begins with `*` or is `?` does not restrict, after vixie cron. */
  readonly anyDayOfMonth: boolean;
  readonly anyWeekday: boolean;
  /** Whether the schedule asks that both day fields match, `dayRule: "and"`. */
  readonly bothDays?: boolean;
}

/**
 * crontab(5): "if both fields are restricted (i.e., don't start with *), the command will be run when either field
 * matches". Otherwise both must match, so that every second day that is a Monday can be written as two fields.
 */
export function eitherDayField(rule: DayRule): boolean {
  return !rule.bothDays && !rule.anyDayOfMonth && !rule.anyWeekday;
}

export function bits(values: Iterable<number>): number {
  let mask = 0;
  for (const value of values) mask |= 1 << value;
  return mask;
}

/** The positions of the ones in `mask`, ascending. */
export function bitList(mask: number): number[] {
  const list: number[] = [];
  for (let bit = 0; bit < 32; bit += 1) if (mask & (1 << bit)) list.push(bit);
  return list;
}
