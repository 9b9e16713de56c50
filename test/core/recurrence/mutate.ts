/** Deterministic noise: fuzzing that finds a fault must find it again. */
export type Random = (below: number) => number;

/** mulberry32, https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const VALID = [
  '* * * * *',
  '*/5 8-17 * * MON-FRI',
  '0 0 29 2 */7',
  '30 2 * * *',
  'H H(0-7)/2 * * *',
  '0 0 L-3,15W,LW * 5#3,1#1,6L',
  '0 0 0 1 1 ? 2026-2199/7',
  'cron(0 9 ? * MON-FRI *)',
  'cron(0/15 8-17 L * ? 2026-2030)',
  'quartz(0 0 12 ? * 6L)',
  'rate(5 minutes)',
  'at(2026-12-01T09:00:00)',
  'every PT90S',
  'every P1M from 2026-01-31T09:00:00',
  'R5/2026-03-07T09:00:00/P1D',
  '@every 1h30m',
  '@monthly',
  'DTSTART;TZID=America/New_York:20260131T090000 RRULE:FREQ=MONTHLY;COUNT=4',
  'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;INTERVAL=3',
  'DTSTART:20260101T000000Z RRULE:FREQ=SECONDLY;INTERVAL=7;BYHOUR=3;BYMINUTE=0;BYSECOND=1',
  'FREQ=HOURLY;INTERVAL=23;BYHOUR=3;BYDAY=SA;BYMONTH=2',
  'FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=9,10;BYSETPOS=-1;UNTIL=20300101T000000Z',
];

const PIECES = [
  ...'0123456789*/-,?#LWH@ ()\t;:=.TPZRMDSY',
  '00',
  '59',
  '60',
  '-1',
  '99999999',
  'MON',
  'jan',
  'sun-',
  '*/0',
  'L-',
  'FREQ=',
  'BYDAY=',
  'COUNT=9999',
  'INTERVAL=86399',
  '\u00a0',
  '\u2013',
  '\uff10',
  '\ud83d\ude00',
  '\n',
  '\0',
  '__proto__',
  'constructor',
];

/** Values for second, minute, hour, day-of-month, month, day-of-week and year, right and sometimes wrong. */
const FIELDS = [
  ['*', '0', '*/10', '5-50/15'],
  ['*', '0', '*/5', '59', 'H', '55-5', '0,30'],
  ['*', '0', '2', '22-2', '*/2', 'H(0-5)', '8-17'],
  ['*', '?', '31', 'L', 'L-3', 'LW', '15W', '1-7', '*/2', '29,30'],
  ['*', '2', 'jan,JUL', '11-2', '4/3', '13'],
  ['*', '?', 'MON-FRI', 'FRI-MON', '7', '5#5', '2L', '1,3#2', '8'],
  ['*', '2026', '2027-2199/4', '1999'],
];

/** A random text: noise, a soup of pieces, or a valid text with one to four things done to it. */
export function randomText(random: Random): string {
  const kind = random(12);
  if (kind === 0)
    return Array.from({ length: random(60) }, () => String.fromCharCode(random(0x250))).join('');
  if (kind <= 2) return Array.from({ length: 1 + random(20) }, () => pick(PIECES, random)).join('');
  if (kind === 3)
    return Array.from({ length: 5 + random(3) }, () => pick(pick(VALID, random).split(' '), random)).join(
      ' ',
    );
  if (kind <= 6) {
    const layout = pick([FIELDS.slice(1, 6), FIELDS.slice(0, 6), FIELDS], random);
    return layout.map((values) => pick(values, random)).join(' ');
  }
  let text = pick(VALID, random);
  for (let changes = 1 + random(4); changes > 0; changes -= 1) text = mutated(text, random);
  return text;
}

function mutated(text: string, random: Random): string {
  const at = random(text.length + 1);
  const to = Math.min(text.length, at + 1 + random(4));
  switch (random(6)) {
    case 0:
      return text.slice(0, at) + text.slice(to);
    case 1:
      return text.slice(0, to) + text.slice(at);
    case 2: {
      const other = pick(VALID, random);
      return text.slice(0, at) + other.slice(random(other.length));
    }
    case 3:
      return text.replace(/\d+/g, (digits) => (random(3) === 0 ? `${random(70)}` : digits));
    case 4:
      return text.slice(0, at) + pick(PIECES, random).repeat(1 + random(30)) + text.slice(at);
    default:
      return text.slice(0, at) + pick(PIECES, random) + text.slice(to);
  }
}

function pick<T>(list: readonly T[], random: Random): T {
  return list[random(list.length)] as T;
}
