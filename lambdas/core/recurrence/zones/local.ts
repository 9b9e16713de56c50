import { type EpochMs, epochMs, MAX_INSTANT, parseInstant } from '../../time.ts';
import { type Origin, quote, refusal } from '../refusal.ts';
import { FIRST_SECOND } from '../source.ts';
import { DAY_SECONDS, parseWall, wallText } from './civil.ts';
import { type Zone, zoneOf } from './zone.ts';

/** No offset is further from UTC, historic ones included. */
const WIDEST_OFFSET = 16 * 3_600;

/** The UTC seconds at which the clocks of a zone show `wall`: none in a gap, two in an overlap, else one. */
export function instantsOf(zone: Zone, wall: number): number[] {
  const found: number[] = [];
  const end = wall + WIDEST_OFFSET;
  for (let from = wall - WIDEST_OFFSET; from < end; ) {
    const segment = zone.segmentAt(from);
    const at = wall - segment.offset;
    if (at >= segment.start && at < segment.end) found.push(at);
    from = segment.end;
  }
  return found;
}

/** The change of clocks that skips a wall time. */
export interface Gap {
  /** UTC second of the first instant after it. */
  readonly end: number;
  /** Seconds that clocks jump over. */
  readonly length: number;
  /** The offset before it. */
  readonly before: number;
}

/** The gap over `wall`, which no clock of the zone shows. */
export function gapOver(zone: Zone, wall: number): Gap {
  let segment = zone.segmentAt(wall - 2 * DAY_SECONDS);
  let next = zone.segmentAt(segment.end);
  while (segment.end + next.offset <= wall) {
    segment = next;
    next = zone.segmentAt(segment.end);
  }
  return { end: segment.end, length: next.offset - segment.offset, before: segment.offset };
}

/** The wall seconds that clocks of the zone show at a UTC second. */
export function wallAt(zone: Zone, utc: number): number {
  return utc + zone.segmentAt(utc).offset;
}

/** A text that names a moment, before it is known on whose clocks. */
export interface MomentText {
  /** `local`: what clocks show; `instant`: the same everywhere. */
  readonly kind: 'local' | 'instant';
  /** Of the wall, or of UTC. */
  readonly second: number;
  /** Beyond the second: 0 to 1,000. Of a finer fraction it is the millisecond after it, so that nothing is early. */
  readonly millis: number;
}

/** Every form in which a moment is taken: an instant, a local time, and a local date, which is its midnight. */
export function parseMoment(text: string): MomentText | undefined {
  const [whole, millis] = splitFraction(text);
  const instant = parseInstant(whole);
  if (instant !== undefined) return { kind: 'instant', second: instant / 1_000, millis };
  const wall = parseWall(whole);
  return wall === undefined ? undefined : { kind: 'local', second: wall, millis };
}

/**
 * When the moment is that a person or a request names: a local time is read on the clocks of `timezone`. Throws
 * `timezone.unknown` and `expression.*` naming `field`.
 */
export function momentOf(field: string, text: string, timezone: string): EpochMs {
  return epochMs(readMoment({ field, text }, text, zoneOf(timezone)));
}

/**
 * UTC milliseconds of a local time (`2026-12-01T09:00`) or an instant (with `Z` or an offset). A local time that clocks
 * skip is refused, one that they show twice is the first of the two (RFC 5545, 3.3.5).
 */
export function readMoment(origin: Origin, text: string, zone: Zone): number {
  const moment = parseMoment(text);
  if (moment === undefined)
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(text)} is not a date and time: give a local one such as 2026-12-01T09:00:00, ` +
        'or an instant with an offset, such as 2026-12-01T09:00:00Z.',
    );
  checkRange(origin, text, moment.second);
  const second = moment.kind === 'instant' ? moment.second : localSecond(origin, moment.second, zone);
  const at = second * 1_000 + moment.millis;
  checkRange(origin, text, at / 1_000);
  return at;
}

/** The text without the fraction of its seconds, and that fraction in milliseconds. */
function splitFraction(text: string): [whole: string, millis: number] {
  const match = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)\.(\d{1,9})(.*)$/.exec(text);
  if (!match) return [text, 0];
  const [, before = '', fraction = '', after = ''] = match;
  return [before + after, Math.ceil(Number(fraction.padEnd(9, '0')) / 1_000_000)];
}

/** Before it is asked when clocks showed a time, they must have been somewhat like ours. */
function checkRange(origin: Origin, text: string, second: number): void {
  if (second >= FIRST_SECOND && second <= MAX_INSTANT / 1_000) return;
  throw refusal(
    origin,
    'expression.out-of-range',
    `${quote(text)} is out of range: 1900 to 9999 is allowed.`,
  );
}

function localSecond(origin: Origin, wall: number, zone: Zone): number {
  const [first] = instantsOf(zone, wall);
  if (first !== undefined) return first;
  throw refusal(
    origin,
    'expression.local-time-missing',
    `${wallText(wall)} does not exist in ${zone.name}: clocks go forward over it. The first time after it is ` +
      `${wallText(wallAt(zone, gapOver(zone, wall).end))}; give that, another time, or an instant with an offset.`,
  );
}

/** What clocks of the zone show at an instant (milliseconds): `2026-03-08T02:30:00`, with the fraction that it has. */
export function clockText(zone: Zone, at: number): string {
  const second = Math.floor(at / 1_000);
  const millis = Math.floor(at - second * 1_000);
  return wallText(wallAt(zone, second)) + (millis === 0 ? '' : `.${String(millis).padStart(3, '0')}`);
}
