import { spend } from '../work.ts';
import { civilDate, DAY_SECONDS, dayNumber } from '../zones/civil.ts';
import { dayFilter, weekBegin, weeksOf, weekYearOf } from './days.ts';
import { isDayBased, type Rule } from './rule.ts';

/**
 * A rule's periods (years, months, weeks … each INTERVAL apart), numbered from the one that holds DTSTART, and what
 * may fire in them: each base (wall seconds) plus each offset (seconds), both sorted.
 */
export interface Periods {
  /** Whether no period ever is at a time of day that the rule names, so that there is nothing to look for. */
  readonly never?: boolean;
  /** The number of the last period that begins at or before `wall`; may be negative. */
  indexOf(wall: number): number;
  /** The wall second at which a period begins; nothing in it fires earlier. */
  begin(index: number): number;
  /** The bases in a period, empty when the BY… parts leave none. */
  bases(index: number): readonly number[];
  readonly offsets: readonly number[];
  /**
   * A period that may have bases, not before (`step` 1) or not after (-1) an empty one, without passing any:
   * lets rules that count seconds cross days and hours that are not theirs.
   */
  beyond(index: number, step: 1 | -1): number;
}

export function periodsOf(rule: Rule): Periods {
  return isDayBased(rule.frequency) ? dayPeriods(rule) : clockPeriods(rule);
}

function dayPeriods(rule: Rule): Periods {
  const { frequency, interval, weekStart } = rule;
  // "BYWEEKNO specifies weeks of the year", which begin and end in the calendar years beside it: then the periods are
  // the years that weeks are counted in.
  const byWeeks = rule.weekNumbers.length > 0;
  const matches = dayFilter(rule);
  const startDay = Math.floor(rule.start / DAY_SECONDS);
  const start = civilDate(startDay);
  const startMonth = start.year * 12 + start.month - 1;
  const startWeek = weekBegin(startDay, weekStart);
  const startYear = byWeeks ? weekYearOf(startDay, weekStart) : start.year;
  const monthBegin = (month: number): number =>
    dayNumber(Math.floor(month / 12), (((month % 12) + 12) % 12) + 1, 1);

  /** The first day of the period, counted in units of the frequency, without the interval. */
  const begin = {
    YEARLY: (count: number) => dayNumber(startYear + count, 1, 1),
    MONTHLY: (count: number) => monthBegin(startMonth + count),
    WEEKLY: (count: number) => startWeek + 7 * count,
    DAILY: (count: number) => startDay + count,
  }[frequency as 'YEARLY' | 'MONTHLY' | 'WEEKLY' | 'DAILY'];

  /** The days of the period; of a year, only the weeks or months that the rule names. */
  const ranges = (count: number): (readonly [from: number, to: number])[] => {
    if (byWeeks) return weeksOf(startYear + count, rule.weekNumbers, weekStart);
    if (frequency !== 'YEARLY' || rule.months.length === 0) return [[begin(count), begin(count + 1)]];
    const january = (start.year + count) * 12;
    return rule.months.map((month) => [monthBegin(january + month - 1), monthBegin(january + month)]);
  };

  const countAt = (day: number): number => {
    if (byWeeks) return weekYearOf(day, weekStart) - startYear;
    const { year, month } = civilDate(day);
    if (frequency === 'YEARLY') return year - startYear;
    if (frequency === 'MONTHLY') return year * 12 + month - 1 - startMonth;
    return frequency === 'WEEKLY' ? Math.floor((day - startWeek) / 7) : day - startDay;
  };

  return {
    begin(index) {
      const [first] = byWeeks ? weeksOf(startYear + index * interval, [1], weekStart) : [];
      return (first?.[0] ?? begin(index * interval)) * DAY_SECONDS;
    },
    indexOf: (wall) => Math.floor(countAt(Math.floor(wall / DAY_SECONDS)) / interval),
    bases(index) {
      const found: number[] = [];
      for (const [from, to] of ranges(index * interval)) {
        spend(to - from);
        for (let day = from; day < to; day += 1) if (matches(day)) found.push(day * DAY_SECONDS);
      }
      return found;
    },
    offsets: rule.hours.flatMap((hour) =>
      rule.minutes.flatMap((minute) => rule.seconds.map((second) => hour * 3_600 + minute * 60 + second)),
    ),
    beyond: (index, step) => index + step,
  };
}

function clockPeriods(rule: Rule): Periods {
  const { interval, frequency, hours, minutes, seconds } = rule;
  const unit = { HOURLY: 3_600, MINUTELY: 60, SECONDLY: 1 }[frequency as 'HOURLY' | 'MINUTELY' | 'SECONDLY'];
  const matches = dayFilter(rule);
  const startUnit = Math.floor(rule.start / unit);
  const base = (index: number): number => (startUnit + index * interval) * unit;
  const indexOf = (wall: number): number => Math.floor((Math.floor(wall / unit) - startUnit) / interval);

  /** Seconds of the whole day, hour, minute or second that keeps a base from matching; 0 when it matches. */
  function blocked(wall: number): number {
    if (!matches(Math.floor(wall / DAY_SECONDS))) return DAY_SECONDS;
    const time = ((wall % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS;
    if (hours.length > 0 && !hours.includes(Math.floor(time / 3_600))) return 3_600;
    if (unit < 3_600 && minutes.length > 0 && !minutes.includes(Math.floor(time / 60) % 60)) return 60;
    return unit < 60 && seconds.length > 0 && !seconds.includes(time % 60) ? 1 : 0;
  }

  return {
    never: !reachesTime(rule, unit),
    begin: base,
    indexOf,
    bases(index) {
      spend();
      return blocked(base(index)) === 0 ? [base(index)] : [];
    },
    offsets:
      unit === 3_600
        ? minutes.flatMap((minute) => seconds.map((second) => minute * 60 + second))
        : unit === 60
          ? seconds
          : [0],
    beyond(index, step) {
      const [from, to] = blockAround(base(index));
      if (to - from <= unit) return index + step;
      // Forwards: the first period at or after the end of the block; backwards: the last one before its start.
      return step > 0 ? Math.max(index + 1, indexOf(to - 1) + 1) : indexOf(from - 1);
    },
  };

  /** The wall seconds around one that does not match, in which none does. */
  function blockAround(wall: number): [from: number, to: number] {
    const day = Math.floor(wall / DAY_SECONDS);
    const { year, month } = civilDate(day);
    if (rule.months.length > 0 && !rule.months.includes(month))
      return [dayNumber(year, month, 1) * DAY_SECONDS, dayNumber(year, month + 1, 1) * DAY_SECONDS];
    const block = blocked(wall);
    const from = Math.floor(wall / block) * block;
    return [from, from + block];
  }
}

/** Whether steps from DTSTART come to a time of day that the rule names: every 24 hours from 06:00 is never 05:00. */
function reachesTime({ start, interval, hours, minutes, seconds }: Rule, unit: number): boolean {
  const step = greatestDivisor(interval * unit, DAY_SECONDS);
  const phase = remainder(Math.floor(start / unit) * unit, step);
  // Parts smaller than the unit are within each of its periods.
  const [minuteList, secondList] = [unit < 3_600 ? minutes : [0], unit < 60 ? seconds : [0]];
  return orAll(hours, 24).some((hour) =>
    orAll(minuteList, 60).some((minute) =>
      orAll(secondList, 60).some(
        (second) => remainder(hour * 3_600 + minute * 60 + second - phase, step) === 0,
      ),
    ),
  );
}

function orAll(list: readonly number[], size: number): readonly number[] {
  return list.length > 0 ? list : Array.from({ length: size }, (_, value) => value);
}

function remainder(value: number, by: number): number {
  return ((value % by) + by) % by;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
