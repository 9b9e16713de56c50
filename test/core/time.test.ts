import { describe, expect, it } from 'vitest';
import { parseOccurrenceId } from '../../lambdas/core/ids.ts';
import { MAX_INSTANT, parseInstant, toIso } from '../../lambdas/core/time.ts';

const read = (text: string) => {
  const at = parseInstant(text);
  return at === undefined ? undefined : toIso(at);
};

describe('an instant', () => {
  it.each([
    ['2026-12-01T09:00:00Z', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T09:00Z', '2026-12-01T09:00:00.000Z'],
    ['2024-02-29T23:59:59.123456789+05:30', '2024-02-29T18:29:59.123Z'],
    ['2026-12-01T09:00:00-0500', '2026-12-01T14:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', toIso(MAX_INSTANT)],
  ])('%s is %s', (text, iso) => {
    expect(read(text)).toBe(iso);
  });

  it.each([
    ['a day that the month has not', '2026-02-30T00:00:00Z'],
    ['29 February of another year', '2026-02-29T00:00:00Z'],
    ['hour 24', '2026-02-28T24:00:00Z'],
    ['second 60', '2016-12-31T23:59:60Z'],
    ['an offset of a day', '2026-02-28T00:00:00+24:00'],
    ['a year with five digits, by its offset', '9999-12-31T23:59:59-01:00'],
    ['a year before the first, by its offset', '0000-01-01T00:00:00+01:00'],
    ['a local time', '2026-02-28T00:00:00'],
    ['a date', '2026-02-28'],
    ['text around it', ' 2026-02-28T00:00:00Z'],
  ])('is not %s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  it('of an occurrence id has one text, so that no occurrence has two ids', () => {
    expect(parseOccurrenceId('g~n~20260302T000000000Z~1')).toBeDefined();
    expect(parseOccurrenceId('g~n~20260230T000000000Z~1')).toBeUndefined();
  });
});
