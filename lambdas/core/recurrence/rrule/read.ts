import { toIso } from '../../time.ts';
import { dstRule } from '../build.ts';
import { MAX_COUNTED } from '../count.ts';
import type { RRuleExpression } from '../expression.ts';
import type { ParseContext } from '../parse.ts';
import { type Origin, quote, refusal } from '../refusal.ts';
import type { Source } from '../source.ts';
import { DAY_SECONDS, parseWall, wallOf } from '../zones/civil.ts';
import { gapOver, instantsOf, wallAt } from '../zones/local.ts';
import { type Zone, zoneOf } from '../zones/zone.ts';
import { readRule } from './parts.ts';
import { ruleSource } from './source.ts';

/**
 * How far a row may be counted: its fires are looked for when the text is read. Beyond four centuries that takes too
 * long, and UNTIL says the same.
 */
const MAX_COUNTED_MS = 400 * 366 * DAY_SECONDS * 1_000;
const PROPERTY = /[ ]+(?=(?:DTSTART|RRULE|EXDATE|RDATE|EXRULE)[;:])/i;

/**
 * Reads iCalendar text: `DTSTART;TZID=…:… RRULE:… EXDATE…:… RDATE…:…`, properties apart by a blank or a line break,
 * or only the rule, which then starts at the anchor, or only dates. Of lines DTSTART and RRULE come at most once (RFC
 * 5545).
 */
export function readRRule(origin: Origin, text: string, context: ParseContext): RRuleExpression {
  const properties = text.split(PROPERTY).map((line) => readProperty(origin, line));
  const only = (name: string): Property | undefined => {
    const found = properties.filter((property) => property.name === name);
    if (found.length > 1)
      throw refusal(origin, 'expression.invalid', `${name} comes twice in ${quote(text)}.`);
    return found[0];
  };
  const [rrule, dtstart] = [only('RRULE'), only('DTSTART')];
  const zone = dtstart ? zoneFor(dtstart, context.zone) : context.zone;
  const added = readDates(origin, properties, 'RDATE', zone);
  if (!rrule && added.length === 0)
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(text)} has no RRULE:FREQ=… part and no RDATE; a single time is at(2026-12-01T09:00:00).`,
    );
  const creation = (context.startsAtAnchor ? Math.ceil : Math.floor)(context.anchor / 1_000);
  const wall = dtstart ? readWall(origin, dtstart.value) : wallAt(zone, creation);
  const start = dtstart ? (resolved(zone, wall)[0] ?? creation) : creation;
  const anchored = dtstart !== undefined || context.startsAtAnchor;
  const base = { zone, start, text: rrule?.value ?? text, anchored };
  const excluded = readDates(origin, properties, 'EXDATE', zone);
  // Without a rule DTSTART is itself the first time (RFC 5545, 3.8.2.4).
  if (!rrule)
    return {
      ...base,
      kind: 'rrule',
      rule: undefined,
      ...ENDLESS,
      until: Infinity,
      excluded,
      added: dtstart ? [start * 1_000, ...added] : added,
    };
  const { rule, count, until } = readRule(origin, rrule.value, wall, anchored);
  const source = ruleSource({ rule, start, zone }, dstRule({ kind: 'rrule', rule }, {}));
  if (source.next(start * 1_000 - 1) === Infinity)
    throw refusal(
      origin,
      'expression.never-fires',
      `${quote(text)} never fires: no time matches all of its parts.`,
    );
  return {
    ...base,
    kind: 'rrule',
    rule,
    ...(count === undefined ? ENDLESS : { count, last: countedLast(origin, source, count) }),
    until: until === undefined ? Infinity : readUntil(origin, until, zone),
    excluded,
    added,
  };
}

/** Neither COUNT nor UNTIL. */
const ENDLESS = { count: Infinity, last: Infinity };

interface Property {
  readonly name: string;
  readonly timezone: string | undefined;
  readonly value: string;
}

function readProperty(origin: Origin, line: string): Property {
  if (/^FREQ=/i.test(line)) return { name: 'RRULE', timezone: undefined, value: line };
  const match = /^(DTSTART|RRULE|EXDATE|RDATE)((?:;[A-Z-]+=[^;:]+)*):(\S+)$/i.exec(line);
  const parameters = (match?.[2] ?? '').split(';').slice(1);
  const timezone = parameters.find((parameter) => /^TZID=/i.test(parameter))?.slice(5);
  const strange = parameters.find((parameter) => !/^(TZID=.+|VALUE=DATE(-TIME)?)$/i.test(parameter));
  if (!match || strange !== undefined)
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(line)} cannot be read: of iCalendar, DTSTART, RRULE, EXDATE and RDATE are allowed, with TZID and VALUE=DATE.`,
    );
  return { name: (match[1] ?? '').toUpperCase(), timezone, value: match[3] ?? '' };
}

/** `…Z` is UTC, TZID names a zone, neither floats in the schedule's. */
function zoneFor({ timezone, value }: Property, floating: Zone): Zone {
  if (/Z$/i.test(value)) return zoneOf('UTC');
  return timezone === undefined ? floating : zoneOf(timezone, 'expression');
}

/** Wall seconds of `20260308T023000`, with or without `Z`, or `20260308`. */
function readWall(origin: Origin, text: string): number {
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z?)?$/i.exec(text);
  const [, year, month, day, hour = '00', minute = '00', second = '00'] = match ?? [];
  const wall = match ? parseWall(`${year}-${month}-${day}T${hour}:${minute}:${second}`) : undefined;
  if (wall === undefined || wall < wallOf(1900, 1, 2, 0, 0, 0))
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(text)} is not an iCalendar date-time from 1900 on: write one as 20260308T090000, with Z for UTC.`,
    );
  return wall;
}

/** UTC milliseconds; UNTIL is included, a date up to its end. */
function readUntil(origin: Origin, text: string, zone: Zone): number {
  const wall = readWall(origin, text);
  if (/Z$/i.test(text)) return wall * 1_000;
  const last = text.includes('T') || text.includes('t') ? wall : wall + DAY_SECONDS - 1;
  return 1_000 * Math.max(...resolved(zone, last));
}

function readDates(origin: Origin, properties: readonly Property[], name: string, zone: Zone): number[] {
  return properties
    .filter((property) => property.name === name)
    .flatMap((property) =>
      property.value.split(',').flatMap((text) => {
        const own = zoneFor({ ...property, value: text }, zone);
        return resolved(own, readWall(origin, text)).map((second) => second * 1_000);
      }),
    );
}

/** The instants of a wall time, both passes; one in a gap as far after it as it is into it (RFC 5545, 3.3.5). */
function resolved(zone: Zone, wall: number): number[] {
  const instants = instantsOf(zone, wall);
  if (instants.length > 0) return instants;
  return [wall - gapOver(zone, wall).before];
}

/** The instant of the last of `count` fires, by the clocks' own rule. */
function countedLast(origin: Origin, source: Source, count: number): number {
  const first = source.next(-Infinity);
  let [last, fired] = [first, 1];
  for (; fired < count && last !== Infinity; fired += 1) {
    if (fired === MAX_COUNTED || last - first > MAX_COUNTED_MS) break;
    last = source.next(last);
  }
  if (fired === count || last === Infinity) return last;
  const until = toIso(last).replace(/[-:]|\.\d+/g, '');
  throw refusal(
    origin,
    'expression.out-of-range',
    `COUNT ${count} is out of range: at most ${MAX_COUNTED} fires, within 400 years, are counted. UNTIL ends a longer ` +
      `row: UNTIL=${until} instead of COUNT=${count} ends it after ${fired}.`,
  );
}
