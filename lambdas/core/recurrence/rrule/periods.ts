import { civilDate, DAY_SECONDS, dayNumber } from '../civil.ts';
import { spend } from '../work.ts';
import { dayFilter, weekBegin, weeksOf, weekYearOf } from './days.ts';
import { isDayBased, type Rule } from './rule.ts';

/**
 * A rule's periods (years, months, weeks … each INTERVAL apart), numbered from the one that holds DTSTART, and what
 * may fire in them: each base (wall seconds) plus each offset (seconds), both sorted.
 */
export interface Periods {
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
      const block = blocked(base(index));
      if (block <= unit) return index + step;
      const blockStart = Math.floor(base(index) / block) * block;
      // Forwards: the first period at or after the end of the block; backwards: the last one before its start.
      return step > 0 ? Math.max(index + 1, indexOf(blockStart + block - 1) + 1) : indexOf(blockStart - 1);
    },
  };
}
