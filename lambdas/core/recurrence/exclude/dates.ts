import { type Origin, quote, refusal } from '../refusal.ts';
import { DAY_SECONDS, parseWall } from '../zones/civil.ts';
import type { Stretch } from './stretch.ts';

const DATE = /^\d{4}-\d\d-\d\d$/;

/** `2026-12-25` or `2026-12-24/2027-01-01` as day numbers, both included; undefined when it looks like neither. */
export function readDates(origin: Origin, text: string): Stretch | undefined {
  const [first = '', second = first, ...more] = text.split('/');
  if (more.length > 0 || !DATE.test(first) || !DATE.test(second)) return undefined;
  const [from, to] = [readDay(origin, first), readDay(origin, second)];
  if (to < from)
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(text)} ends before it begins: write the earlier date first.`,
    );
  return { from, to };
}

function readDay(origin: Origin, text: string): number {
  const wall = parseWall(text);
  if (wall === undefined)
    throw refusal(
      origin,
      'expression.invalid',
      `${quote(text)} is not a calendar date: write one as 2026-12-25.`,
    );
  return wall / DAY_SECONDS;
}
