import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MOVED_NOTE } from '../../../lambdas/core/occurrence/notes.ts';
import { MAX_CATCH_UP_DAYS, purgeTimeOf } from '../../../lambdas/core/occurrence/retention.ts';
import { DAY, type EpochMs, SECOND } from '../../../lambdas/core/time.ts';
import { at, NOON } from '../../support/fixtures.ts';

const KEPT = 30;
const record = { scheduledTime: NOON, dueAt: NOON, notes: [] };
const daysAfter = (from: EpochMs, purged: number) => (purged * SECOND - from) / DAY;

describe('a finished occurrence', () => {
  it('is kept for the retention after its end', () => {
    expect(daysAfter(at(DAY), purgeTimeOf(record, { at: at(DAY) }, KEPT))).toBe(KEPT);
    expect(daysAfter(NOON, purgeTimeOf({ ...record, retentionDays: 7 }, { at: NOON }, KEPT))).toBe(7);
  });

  it('is kept while any planner may still come to its time, when it ended before that', () => {
    const ran = purgeTimeOf(record, { at: at(-DAY) }, KEPT);
    expect(daysAfter(NOON, ran)).toBe(KEPT + MAX_CATCH_UP_DAYS);
  });

  it.each([
    ['was moved', { ...record, notes: [{ code: MOVED_NOTE, message: '' }] }],
    ['was made ahead of the plan', { ...record, isAhead: true as const }],
  ])('is kept as long when it %s, also when it ended after its time', (_, moved) => {
    expect(daysAfter(at(DAY), purgeTimeOf(moved, { at: at(DAY) }, KEPT))).toBe(KEPT + MAX_CATCH_UP_DAYS);
  });

  it('is kept for the retention after its time when a change ended it, since that is made again or never asked for', () => {
    const end = { at: at(-DAY), reason: 'superseded' };
    expect(daysAfter(NOON, purgeTimeOf(record, end, KEPT))).toBe(KEPT);
    const late = { ...record, dueAt: at(DAY) };
    expect(daysAfter(at(DAY), purgeTimeOf(late, { at: NOON, reason: 'deleted' }, KEPT))).toBe(KEPT);
  });
});

it('is the only place that makes the time of a purge', () => {
  const lambdas = join(import.meta.dirname, '../../../lambdas');
  const files = readdirSync(lambdas, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const writes = files.flatMap((file) =>
    [...readFileSync(join(lambdas, file), 'utf8').matchAll(/(?:'?:?\bpurge_at'?: )(.*)/g)].map(
      ([, value = '']) => ({ file, value }),
    ),
  );
  expect(writes.length).toBeGreaterThan(8);
  const others = writes.filter(
    ({ value }) => !/^(purgeTime|purgeTimeOf|purgeAfterAll|tombstonePurgeAt)\(/.test(value),
  );
  expect(others).toEqual([]);
});
