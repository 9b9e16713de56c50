import { DAY_SECONDS, parseWall, wallOf } from '../civil.ts';
import type { RRuleExpression } from '../expression.ts';
import { gapOver, instantsOf, wallAt } from '../local.ts';
import type { ParseContext } from '../parse.ts';
import { type Origin, quote, refusal } from '../refusal.ts';
import { type Zone, zoneOf } from '../zone.ts';
import { readRule } from './parts.ts';
import { ruleWalls } from './walls.ts';

/** Each is looked for once, when the text is read. */
const MAX_COUNT = 10_000;
const MAX_COUNTED = 100 * 366 * DAY_SECONDS;
const PROPERTY = /[ ]+(?=(?:DTSTART|RRULE|EXDATE|RDATE|EXRULE)[;:])/i;

/**
 * Reads iCalendar text: `DTSTART;TZID=…:… RRULE:… EXDATE…:… RDATE…:…`, properties apart by a blank or a line break,
 * or only the rule, which then starts at the anchor. Of lines DTSTART and RRULE come at most once (RFC 5545).
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
  if (!rrule) throw refusal(origin, 'expression.invalid', `${quote(text)} has no RRULE:FREQ=… part.`);
  const zone = dtstart ? zoneFor(dtstart, context.zone) : context.zone;
  const start = dtstart ? readWall(origin, dtstart.value) : wallAt(zone, Math.floor(context.anchor / 1_000));
  const { rule, count, until } = readRule(origin, rrule.value, start);
  const walls = ruleWalls(rule);
  if (walls.next(start) === Infinity)
    throw refusal(
      origin,
      'expression.never-fires',
      `${quote(text)} never fires: no time matches all of its parts.`,
    );
  return {
    kind: 'rrule',
    rule,
    text: rrule.value,
    anchored: dtstart !== undefined,
    zone,
    last: count === undefined ? Infinity : lastOf(origin, walls.next, start, count),
    until: until === undefined ? Infinity : readUntil(origin, until, zone),
    excluded: readDates(origin, properties, 'EXDATE', zone),
    added: readDates(origin, properties, 'RDATE', zone),
  };
}

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
      `${quote(text)} is no date-time of iCalendar from 1900 on: write one as 20260308T090000, with Z for UTC.`,
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

/** The wall time of the last of `count` fires. */
function lastOf(origin: Origin, next: (wall: number) => number, start: number, count: number): number {
  if (count > MAX_COUNT)
    throw refusal(
      origin,
      'expression.out-of-range',
      `COUNT ${count} is out of range: at most ${MAX_COUNT}; UNTIL ends a longer row.`,
    );
  let last = start - 1;
  for (let fired = 0; fired < count; fired += 1) {
    const wall = next(last + 1);
    if (wall - start > MAX_COUNTED)
      throw refusal(
        origin,
        'expression.out-of-range',
        `COUNT ${count} is out of range: its last fire is more than a century after the first; UNTIL ends such a row.`,
      );
    last = wall;
  }
  return last;
}
