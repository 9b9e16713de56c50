import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  idempotencyKey,
  manualToken,
  NAME_PATTERN,
  type OccurrenceKey,
  occurrenceId,
  parseOccurrenceId,
  scheduleId,
  shardOf,
} from '../../lambdas/core/ids.ts';
import { epochMs } from '../../lambdas/core/time.ts';
import { NOON } from '../support/fixtures.ts';

const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,30}$/);
const key: fc.Arbitrary<OccurrenceKey> = fc
  .record({
    group: name,
    name,
    time: fc.integer({ min: 0, max: 4_000_000_000_000 }),
    revision: fc.integer({ min: 1, max: 999_999 }),
    manual: fc.option(fc.string(), { nil: undefined }),
  })
  .map((parts) => {
    const base = {
      schedule: scheduleId(parts.group, parts.name),
      scheduledTime: epochMs(parts.time),
      revision: parts.revision,
    };
    return parts.manual === undefined
      ? { ...base, kind: 'scheduled' as const }
      : { ...base, kind: 'manual' as const, token: manualToken(parts.manual) };
  });

describe('occurrence ids', () => {
  it('read back as the key that they were made from', () => {
    fc.assert(
      fc.property(key, (original) => {
        expect(parseOccurrenceId(occurrenceId(original))).toEqual(original);
      }),
    );
  });

  it('need no escaping in a URL path', () => {
    fc.assert(
      fc.property(key, (any) => {
        expect(encodeURIComponent(occurrenceId(any))).toBe(occurrenceId(any));
      }),
    );
  });

  it('look like group~name~time~revision', () => {
    const id = occurrenceId({
      schedule: scheduleId('billing', 'nightly'),
      scheduledTime: NOON,
      revision: 3,
      kind: 'scheduled',
    });
    expect(id).toBe('billing~nightly~20260301T120000000Z~3');
  });

  it.each([
    '',
    'a~b',
    'a~b~20260301T120000000Z',
    'a~b~20261301T120000000Z~1',
    'a/b~c~20260301T120000000Z~1',
    'a~b~20260301T120000000Z~x',
  ])('are not read from %j', (text) => expect(parseOccurrenceId(text)).toBeUndefined());
});

describe('idempotencyKey', () => {
  it('is one short hash per occurrence, within the bounds of an SQS deduplication id and an execution name', () => {
    fc.assert(
      fc.property(key, (any) => {
        expect(idempotencyKey(occurrenceId(any))).toMatch(/^[0-9a-f]{40}$/);
      }),
    );
  });
});

describe('shardOf', () => {
  it('spreads schedules evenly: no shard of 16 has twice its share of 10,000', () => {
    const sizes = new Array<number>(16).fill(0);
    for (let i = 0; i < 10_000; i += 1) {
      const shard = shardOf(scheduleId('g', `schedule-${i}`), 16);
      sizes[shard] = (sizes[shard] ?? 0) + 1;
    }
    expect(Math.max(...sizes)).toBeLessThan(1_250);
    expect(Math.min(...sizes)).toBeGreaterThan(312);
  });
});

describe('names', () => {
  it.each(['a', 'A-1_b.c', '0', 'x'.repeat(64)])('may be %s', (text) => expect(text).toMatch(NAME_PATTERN));
  it.each(['', 'a/b', 'a~b', 'a#b', '.hidden', 'é', 'a b', 'x'.repeat(65)])('may not be %j', (text) =>
    expect(text).not.toMatch(NAME_PATTERN),
  );
});
