import { describe, expect, test } from 'vitest';
import { MAX_PREVIEW, preview, requireFuture } from '../../../lambdas/core/recurrence/index.ts';
import { epochMs } from '../../../lambdas/core/time.ts';
import { at, type Choice, recurrence, refused } from './support.ts';

const FROM = at('2026-03-07T12:00:00Z');

function previewed(text: string, options: Partial<Parameters<typeof preview>[1]> = {}, choice: Choice = {}) {
  return preview(recurrence(text, choice), { from: FROM, now: FROM, seed: 'group/name', ...options });
}

describe('a preview', () => {
  test('has fires in UTC and local time with notes, warnings and a description', () => {
    const { items, warnings, recurrence } = previewed(
      '30 2 * * *',
      { count: 2 },
      { timezone: 'America/New_York' },
    );
    expect(items.map(({ scheduledTime, local }) => [scheduledTime, local])).toEqual([
      ['2026-03-08T07:00:00.000Z', '2026-03-08T03:00:00-04:00'],
      ['2026-03-09T06:30:00.000Z', '2026-03-09T02:30:00-04:00'],
    ]);
    expect(items.map(({ notes }) => notes.map(({ code }) => code))).toEqual([['dst.gap.run-after'], []]);
    expect(warnings.map(({ code }) => code)).toEqual(['dst-gap']);
    expect(recurrence).toBe('At 02:30, New York time');
  });

  test('goes back from the instant when asked for previous fires', () => {
    const { items } = previewed('@daily', { previous: true, count: 2 });
    expect(items.map(({ scheduledTime }) => scheduledTime)).toEqual([
      '2026-03-07T00:00:00.000Z',
      '2026-03-06T00:00:00.000Z',
    ]);
  });

  test('ends at `to`, included, in either direction', () => {
    expect(previewed('@daily', { to: at('2026-03-10T00:00:00Z') }).items).toHaveLength(3);
    expect(previewed('@daily', { to: at('2026-03-05T00:00:00Z'), previous: true }).items).toHaveLength(3);
  });

  test('is bounded however far `to` is', () => {
    expect(previewed('* * * * * *', { to: at('2027-01-01T00:00:00Z') }).items).toHaveLength(MAX_PREVIEW);
  });

  test('says when a window puts off the start', () => {
    const [fire] = previewed('@daily', { count: 1 }, { window: 'PT1H' }).items;
    expect(fire?.notes[0]?.code).toBe('window');
    expect(fire?.notes[0]?.message).toMatch(/^Starts at 2026-03-08T00:\d\d/);
  });

  test('shows offsets with minutes and with seconds', () => {
    const local = (timezone: string, from: string): string | undefined =>
      previewed('@daily', { from: at(from), count: 1 }, { timezone }).items[0]?.local;
    expect(local('Asia/Kathmandu', '2026-01-01T00:00:00Z')).toBe('2026-01-02T00:00:00+05:45');
    expect(local('Africa/Monrovia', '1930-01-01T12:00:00Z')).toBe('1930-01-02T00:00:00-00:44:30');
  });

  test.each([
    [{ count: 0 }, 'count'],
    [{ count: MAX_PREVIEW + 1 }, 'count'],
    [{ count: 1.5 }, 'count'],
    [{ from: epochMs(Date.UTC(12_000, 0, 1)) }, 'from'],
    [{ from: epochMs(Number.NaN) }, 'from'],
    [{ to: epochMs(Date.UTC(1_000, 0, 1)) }, 'to'],
  ])('refuses options out of range (%#)', (options, field) => {
    expect(refused(() => previewed('@daily', options))).toMatchObject({
      code: 'expression.out-of-range',
      field,
    });
  });
});

describe('a future', () => {
  test('is required of a schedule that is to be created', () => {
    const past = recurrence('0 0 0 1 1 * 2020');
    expect(refused(() => requireFuture(past, FROM))).toMatchObject({
      code: 'expression.never-fires',
      field: 'expression',
    });
    expect(() => requireFuture(recurrence('@daily'), FROM)).not.toThrow();
  });

  test('is not had by a time that is always skipped', () => {
    const skipped = recurrence('0 2 * 3 0#2', { timezone: 'America/Los_Angeles', dst: { gap: 'skip' } });
    expect(refused(() => requireFuture(skipped, FROM)).code).toBe('expression.never-fires');
  });
});
