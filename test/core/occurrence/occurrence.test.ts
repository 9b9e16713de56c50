import { describe, expect, it } from 'vitest';
import { whyNotInForce } from '../../../lambdas/core/occurrence/in-force.ts';
import { MAX_ATTEMPT_RECORDS, withAttempt } from '../../../lambdas/core/occurrence/occurrence.ts';
import {
  decideSweep,
  LEASE_SKEW,
  overdueBy,
  shouldBeQueued,
  UNSENT_AFTER,
} from '../../../lambdas/core/occurrence/overdue.ts';
import { epochMs, HOUR, MINUTE, SECOND } from '../../../lambdas/core/time.ts';
import { at, NOON } from '../../support/fixtures.ts';
import { pending, running } from '../../support/occurrences.ts';

const record = (attempt: number) => ({
  attempt,
  startedAt: NOON,
  finishedAt: NOON,
  outcome: 'failed' as const,
});

describe('the attempt log', () => {
  it('keeps the first attempt and the latest ones', () => {
    let log = [record(1)];
    for (let attempt = 2; attempt <= 30; attempt += 1) log = withAttempt(log, record(attempt)) as typeof log;
    expect(log.map(({ attempt }) => attempt)).toEqual([1, 22, 23, 24, 25, 26, 27, 28, 29, 30]);
    expect(log).toHaveLength(MAX_ATTEMPT_RECORDS);
  });

  it('cuts long details', () => {
    const [only] = withAttempt([], { ...record(1), detail: 'x'.repeat(5_000) });
    expect(only?.detail).toHaveLength(200);
  });
});

describe('decideSweep', () => {
  it('leaves a running one alone until its lease has expired by any clock', () => {
    expect(decideSweep(running({ expiresAt: at(0) }), at(LEASE_SKEW), MINUTE)).toBe('leave');
    expect(decideSweep(running({ expiresAt: at(0) }), at(LEASE_SKEW + 1), MINUTE)).toBe('expire-lease');
  });

  it('takes a pending one for lost after the redispatch delay, and then ever more rarely', () => {
    const waits = [0, 1, 2, 3, 9].map((redispatches) => {
      const one = pending({ redispatches, ...(redispatches > 0 && { redispatchedAt: at(0) }) });
      const pause = MINUTE * 2 ** Math.min(redispatches, 6);
      return [decideSweep(one, at(pause - 1), MINUTE), decideSweep(one, at(pause), MINUTE)];
    });
    expect(waits).toEqual(Array(5).fill(['leave', 'maybe-lost']));
  });

  it('takes it for lost whatever the queue holds after a quarter of an hour', () => {
    expect(decideSweep(pending({}), at(15 * MINUTE - 1), MINUTE)).toBe('maybe-lost');
    expect(decideSweep(pending({}), at(15 * MINUTE), MINUTE)).toBe('long-lost');
    const once = pending({ redispatches: 1, redispatchedAt: at(0) });
    expect(decideSweep(once, at(30 * MINUTE - 1), MINUTE)).toBe('maybe-lost');
    expect(decideSweep(once, at(30 * MINUTE), MINUTE)).toBe('long-lost');
  });

  it('sends one that a worker was to start itself and did not, whatever the queue holds, and then as any other', () => {
    const direct = pending({ isDirect: true, redispatchedAt: at(0) });
    expect(decideSweep(direct, epochMs(at(UNSENT_AFTER) - 1), MINUTE)).toBe('leave');
    expect(decideSweep(direct, at(UNSENT_AFTER), MINUTE)).toBe('unsent');
    expect(shouldBeQueued(direct, at(HOUR))).toBe(false);
    const sent = pending({ isDirect: true, redispatches: 1, redispatchedAt: at(0) });
    expect(decideSweep(sent, at(2 * MINUTE), MINUTE)).toBe('maybe-lost');
    expect(shouldBeQueued(sent, at(HOUR))).toBe(true);
  });

  it('counts from the creation of an occurrence that was created late', () => {
    const late = pending({ dueAt: at(-10 * MINUTE), createdAt: at(0) });
    expect(decideSweep(late, at(MINUTE - 1), MINUTE)).toBe('leave');
  });

  it('misses a pending one past its start deadline', () => {
    expect(decideSweep(pending({ startBy: at(10) }), at(11), MINUTE)).toBe('too-late');
    expect(decideSweep(pending({ startBy: at(10) }), at(10), MINUTE)).toBe('leave');
  });
});

describe('overdueBy', () => {
  it('is the time past due of what has not started, after a grace of five seconds', () => {
    expect(overdueBy(pending({}), at(5 * SECOND))).toBe(0);
    expect(overdueBy(pending({}), at(6 * SECOND))).toBe(6 * SECOND);
    expect(overdueBy(running({}), at(MINUTE))).toBe(0);
  });
});

describe('whyNotInForce', () => {
  const scheduled = { kind: 'scheduled', revision: 2 } as const;
  const manual = { kind: 'manual', revision: 2 } as const;
  it.each([
    ['the same revision, enabled', scheduled, { state: 'enabled', revision: 2 }, null],
    ['the last one of a completed schedule', scheduled, { state: 'completed', revision: 2 }, null],
    ['an older revision', scheduled, { state: 'enabled', revision: 3 }, 'superseded'],
    ['a paused schedule', scheduled, { state: 'paused', revision: 2 }, 'paused'],
    ['a deleted schedule', scheduled, { state: 'deleted', revision: 2 }, 'deleted'],
    ['a schedule that is gone', scheduled, undefined, 'deleted'],
    ['a manual one of a paused schedule', manual, { state: 'paused', revision: 2 }, null],
    ['a manual one of an older revision', manual, { state: 'enabled', revision: 3 }, null],
    ['a manual one of a deleted schedule', manual, { state: 'deleted', revision: 2 }, 'deleted'],
  ] as const)('of %s is %j', (_, occurrence, head, reason) => {
    expect(whyNotInForce({ scheduledTime: NOON, ...occurrence }, head)).toBe(reason);
  });
});
