import { PunctualError } from '../errors.ts';
import { DAY_SECONDS } from './civil.ts';

/**
 * A stretch of time during which a zone keeps one offset. All times are UTC epoch seconds, all offsets seconds
 * east of UTC. Stretches are cut where chunks of the cache meet, so `start` and `end` need not be transitions;
 * `jumpAt` and `tailFrom` tell of real ones only.
 */
export interface Segment {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly offset: number;
  /** The transition that brought this offset, when it is near enough to matter; else -Infinity. */
  readonly jumpAt: number;
  /** The offset before `jumpAt`; equal to `offset` when there is none. */
  readonly before: number;
  /** From here on the wall times of this stretch come a second time after its end; else Infinity. */
  readonly tailFrom: number;
  /** By how much clocks go back at the end of the tail; 0 when there is no tail. */
  readonly tailJump: number;
}

export interface Zone {
  /** The name as it was given, which is what a person recognises. */
  readonly name: string;
  segmentAt(utcSecond: number): Segment;
}

/** Seconds in a chunk of the cache: somewhat more than a year, so that most chunks hold two transitions. */
const CHUNK = 400 * DAY_SECONDS;
/** How far a chunk looks over its edges: the longest jump in the tz database is one day (Apia, Kwajalein, Manila). */
const MARGIN = 3 * DAY_SECONDS;
/** Two transitions nearer than this would hide each other; the nearest since 1970 are a week apart (Recife, 2000). */
const PROBE = 5 * DAY_SECONDS;
/** Chunks kept for one zone: eight centuries. A caller that asks for more pays again. */
const MAX_CHUNKS = 800;
const MAX_ZONES = 1_000;
const MAX_NAME = 64;

const zones = new Map<string, Zone>();

/** The zone of an IANA name in any case, or of an offset such as `+05:30`. Throws `timezone.unknown`. */
export function zoneOf(name: string, field = 'timezone'): Zone {
  const known = zones.get(name);
  if (known) return known;
  const zone = makeZone(name, field);
  if (zones.size >= MAX_ZONES) zones.clear();
  zones.set(name, zone);
  return zone;
}

function makeZone(name: unknown, field: string): Zone {
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME)
    throw unknownZone(typeof name === 'string' ? name.slice(0, MAX_NAME) : name, field);
  let format: Intl.DateTimeFormat;
  try {
    format = offsetFormat(name);
  } catch (cause) {
    throw unknownZone(name, field, cause);
  }
  const resolved = format.resolvedOptions().timeZone;
  if (resolved === 'UTC') return fixedZone(name, 0);
  const fixed = /^([+-])(\d\d):(\d\d)$/.exec(resolved);
  if (fixed) {
    const seconds = Number(fixed[2]) * 3_600 + Number(fixed[3]) * 60;
    return fixedZone(name, fixed[1] === '-' ? -seconds : seconds);
  }
  return tabulatedZone(name, (utc) => offsetAt(format, utc));
}

function unknownZone(value: unknown, field: string, cause?: unknown): PunctualError {
  return new PunctualError(
    'timezone.unknown',
    `${JSON.stringify(value) ?? 'undefined'} is no time zone: give an IANA name such as "Europe/Berlin" or "UTC", ` +
      'or an offset such as "+05:30".',
    { field, value, cause },
  );
}

function fixedZone(name: string, offset: number): Zone {
  const always: Segment = {
    start: -Infinity,
    end: Infinity,
    offset,
    jumpAt: -Infinity,
    before: offset,
    tailFrom: Infinity,
    tailJump: 0,
  };
  return { name, segmentAt: () => always };
}

function tabulatedZone(name: string, offsetOf: (utc: number) => number): Zone {
  const chunks = new Map<number, readonly Segment[]>();
  return {
    name,
    segmentAt(utc) {
      const index = Math.floor(utc / CHUNK);
      let segments = chunks.get(index);
      if (!segments) {
        segments = scan(index * CHUNK, (index + 1) * CHUNK, offsetOf);
        if (chunks.size >= MAX_CHUNKS) chunks.clear();
        chunks.set(index, segments);
      }
      for (const segment of segments) if (utc < segment.end) return segment;
      throw new Error(`Zone ${name} has no offset at ${utc}`);
    },
  };
}

interface Transition {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** The stretches of [from, to), each knowing the transitions up to MARGIN away that touch its wall times. */
function scan(from: number, to: number, offsetOf: (utc: number) => number): Segment[] {
  const transitions = findTransitions(from - MARGIN, to + MARGIN, offsetOf);
  const segments: Segment[] = [];
  let last: Transition | undefined;
  let start = -Infinity;
  for (const next of [...transitions, undefined]) {
    const end = next?.at ?? Infinity;
    if (end > from && start < to) {
      const offset = next?.before ?? last?.after ?? offsetOf(from);
      const back = next ? next.before - next.after : 0;
      segments.push({
        start: Math.max(start, from),
        end: Math.min(end, to),
        offset,
        jumpAt: last?.at ?? -Infinity,
        before: last?.before ?? offset,
        tailFrom: back > 0 ? end - back : Infinity,
        tailJump: Math.max(back, 0),
      });
    }
    last = next;
    start = end;
  }
  return segments;
}

function findTransitions(from: number, to: number, offsetOf: (utc: number) => number): Transition[] {
  const found: Transition[] = [];
  let at = from;
  let before = offsetOf(at);
  while (at < to) {
    const probe = Math.min(at + PROBE, to);
    const after = offsetOf(probe);
    if (after !== before) found.push({ at: firstWith(before, at, probe, offsetOf), before, after });
    at = probe;
    before = after;
  }
  return found;
}

/** The first second in (low, high] whose offset is no longer `before`. */
function firstWith(before: number, low: number, high: number, offsetOf: (utc: number) => number): number {
  let [same, changed] = [low, high];
  while (changed - same > 1) {
    const middle = Math.floor((same + changed) / 2);
    if (offsetOf(middle) === before) same = middle;
    else changed = middle;
  }
  return changed;
}

function offsetFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
}

/** Intl knows offsets only by formatting: read the wall clock off the text and subtract. */
function offsetAt(format: Intl.DateTimeFormat, utc: number): number {
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (
    format.format(utc * 1_000).match(/\d+/g) ?? []
  ).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1_000 - utc;
}
