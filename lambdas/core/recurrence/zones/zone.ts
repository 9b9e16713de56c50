import { PunctualError } from '../../errors.ts';
import { type Segment, segmentsOf } from '../segments.ts';
import { DAY_SECONDS } from './civil.ts';
import { isIanaName, likelyZone } from './zone-names.ts';

export interface Zone {
  /** The name as it was given, which is what a person recognises. */
  readonly name: string;
  segmentAt(utcSecond: number): Segment;
}

/** Seconds in a chunk of the cache: somewhat more than a year, so that most chunks hold two transitions. */
const CHUNK = 400 * DAY_SECONDS;
/** Chunks kept for one zone: two centuries. A caller that asks for more pays again. */
const MAX_CHUNKS = 200;
/** Spellings kept; they share the tables of the few hundred zones that there are. */
const MAX_ZONES = 1_000;
const MAX_NAME = 64;

const zones = new Map<string, Zone>();
const tables = new Map<string, Zone['segmentAt']>();

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
  if (!isIanaName(name)) throw unknownZone(name, field);
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
  const known = tables.get(resolved);
  const segmentAt = known ?? tabulated(resolved, (utc) => offsetAt(format, utc));
  if (!known) tables.set(resolved, segmentAt);
  return { name, segmentAt };
}

function unknownZone(value: unknown, field: string, cause?: unknown): PunctualError {
  const likely = typeof value === 'string' ? likelyZone(value) : undefined;
  if (likely !== undefined)
    return new PunctualError(
      'timezone.unknown',
      `${JSON.stringify(value)} is an abbreviation and no time zone of the IANA data: write "${likely}" if that is meant.`,
      { field, value, cause },
    );
  return new PunctualError(
    'timezone.unknown',
    `${JSON.stringify(value) ?? 'undefined'} is not a time zone: give an IANA name such as "Europe/Berlin" or "UTC", ` +
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

/** Finds the offsets of a chunk of time when it is first asked about, and remembers them. */
function tabulated(name: string, offsetOf: (utc: number) => number): Zone['segmentAt'] {
  const chunks = new Map<number, readonly Segment[]>();
  return (utc) => {
    const index = Math.floor(utc / CHUNK);
    let segments = chunks.get(index);
    if (!segments) {
      segments = segmentsOf(index * CHUNK, (index + 1) * CHUNK, offsetOf);
      if (chunks.size >= MAX_CHUNKS) chunks.clear();
      chunks.set(index, segments);
    }
    for (const segment of segments) if (utc < segment.end) return segment;
    throw new Error(`Zone ${name} has no offset at ${utc}`);
  };
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
