import fc from 'fast-check';
import type { Clock } from './oracle.ts';

/** A random cron text with the meaning that crontab(5) gives it, field by field, without the planner's code. */
export interface RandomCron {
  readonly text: string;
  readonly matches: (clock: Clock) => boolean;
  /** Whether second, minute or hour begins with `*`. */
  readonly wildcard: boolean;
}

interface Field {
  readonly text: string;
  readonly has: (value: number) => boolean;
}

function item(min: number, max: number): fc.Arbitrary<Field> {
  const value = fc.integer({ min, max });
  const step = fc.integer({ min: 1, max: max - min });
  return fc.oneof(
    value.map((only) => ({ text: `${only}`, has: (asked: number) => asked === only })),
    fc.tuple(value, value).map(([from, to]) => ({
      text: `${from}-${to}`,
      // A range that ends before it begins goes on from the start of the field.
      has: (asked: number) => (from <= to ? asked >= from && asked <= to : asked >= from || asked <= to),
    })),
    fc.tuple(value, step).map(([from, by]) => ({
      text: `${from}/${by}`,
      has: (asked: number) => asked >= from && (asked - from) % by === 0,
    })),
    step.map((by) => ({ text: `*/${by}`, has: (asked: number) => (asked - min) % by === 0 })),
  );
}

/** A field of one to three items, or `*`. */
function field(min: number, max: number, starWeight: number): fc.Arbitrary<Field> {
  const list = fc.array(item(min, max), { minLength: 1, maxLength: 3 }).map((items) => ({
    text: items.map(({ text }) => text).join(','),
    has: (value: number) => items.some(({ has }) => has(value)),
  }));
  return fc.oneof(
    { weight: starWeight, arbitrary: fc.constant({ text: '*', has: () => true }) },
    { weight: 4, arbitrary: list },
  );
}

const noSeconds = fc.constant<Field>({ text: '', has: (value) => value === 0 });

/** Hours near midnight, one, two and three are where clocks change: they come up more often. */
const nearChange = fc
  .tuple(fc.constantFrom(0, 1, 2, 3, 23), fc.constantFrom(0, 15, 30, 45, 59))
  .map(([hour, minute]): [Field, Field] => [
    { text: `${minute}`, has: (value) => value === minute },
    { text: `${hour}`, has: (value) => value === hour },
  ]);

/** Random crontab text, `withSeconds` or not; its days are common enough that a few days hold fires. */
export function randomCron(withSeconds: boolean): fc.Arbitrary<RandomCron> {
  const time = fc.oneof(
    { weight: 2, arbitrary: nearChange },
    { weight: 3, arbitrary: fc.tuple(field(0, 59, 2), field(0, 23, 3)) },
  );
  return fc
    .record({
      second: withSeconds ? field(0, 59, 1) : noSeconds,
      time,
      date: field(1, 31, 12),
      month: field(1, 12, 12),
      weekday: field(0, 6, 8),
    })
    .map(({ second, time: [minute, hour], date, month, weekday }) => {
      const restricted = (one: Field): boolean => !one.text.startsWith('*');
      const either = restricted(date) && restricted(weekday);
      const times = [second, minute, hour];
      return {
        text: [second, minute, hour, date, month, weekday]
          .map(({ text }) => text)
          .filter((text) => text !== '')
          .join(' '),
        wildcard: times.some(({ text }) => text.startsWith('*')),
        matches: (clock) =>
          second.has(clock.second) &&
          minute.has(clock.minute) &&
          hour.has(clock.hour) &&
          month.has(clock.month) &&
          (either
            ? date.has(clock.day) || weekday.has(clock.weekday)
            : date.has(clock.day) && weekday.has(clock.weekday)),
      };
    });
}

/** Days on which clocks change, of every odd kind, and a few on which they do not. */
export const DAYS: readonly (readonly [zone: string, day: string])[] = [
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['Europe/London', '2027-03-28'],
  ['Europe/Dublin', '2026-10-25'],
  ['Australia/Lord_Howe', '2026-04-04'],
  ['Australia/Lord_Howe', '2026-10-03'],
  ['Pacific/Chatham', '2026-04-04'],
  ['Pacific/Chatham', '2026-09-26'],
  ['America/Havana', '2025-03-09'],
  ['America/Havana', '2025-11-02'],
  ['America/Sao_Paulo', '2018-11-04'],
  ['America/Sao_Paulo', '2016-02-21'],
  ['America/Santiago', '2022-09-11'],
  ['America/Nuuk', '2026-03-28'],
  ['America/Nuuk', '2026-10-24'],
  ['Atlantic/Azores', '2025-10-26'],
  ['Asia/Beirut', '2025-10-25'],
  ['Asia/Gaza', '2025-04-12'],
  ['Africa/Cairo', '2025-04-24'],
  ['Africa/Casablanca', '2026-02-15'],
  ['Antarctica/Troll', '2025-03-30'],
  ['Antarctica/Troll', '2025-10-26'],
  ['Antarctica/Casey', '2018-03-10'],
  ['Pacific/Apia', '2011-12-30'],
  ['America/Caracas', '2016-05-01'],
  ['Asia/Pyongyang', '2018-05-04'],
  ['Asia/Kathmandu', '2026-06-01'],
  ['UTC', '2028-02-29'],
];
