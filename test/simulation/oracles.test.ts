import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { occurrenceItemKey } from '../../lambdas/adapters/dynamodb/keys.ts';
import { type OccurrenceKey, occurrenceId, scheduleId } from '../../lambdas/core/ids.ts';
import { DEFAULT_CATCH_UP } from '../../lambdas/core/schedule/defaults.ts';
import type { ScheduleHead } from '../../lambdas/core/schedule/head.ts';
import { DAY, type EpochMs, epochMs, HOUR, MINUTE, SECOND } from '../../lambdas/core/time.ts';
import { at, definition, head, NOON } from '../support/fixtures.ts';
import { accountFaults } from './oracles/accounts.ts';
import { attemptFaults } from './oracles/attempts.ts';
import { illegalMoves } from './oracles/audit.ts';
import type { Era, History } from './oracles/history.ts';
import { lateFaults, maxAgeFaults } from './oracles/lateness.ts';
import { GroupLimits } from './oracles/limits.ts';
import { orderFaults } from './oracles/order.ts';
import { purgeFaults } from './oracles/retention.ts';
import { IdleSlots, SlotHolders, type SlotState } from './oracles/slots.ts';
import { triggerFaults } from './oracles/triggers.ts';
import { scheduled } from './scenarios/definitions.ts';
import { CallCounter } from './world/calls.ts';
import { startLife } from './world/life.ts';
import type { Process } from './world/process.ts';
import { recordingTarget, succeeds, type TargetCall } from './world/target.ts';
import { VirtualTime } from './world/time.ts';

/** What the oracles say of violations that are made by hand: an oracle that is never seen to fail proves nothing. */

const SCHEDULE = scheduleId('tests', 'a');
const keyOf = (time: EpochMs, more: Partial<OccurrenceKey> = {}): OccurrenceKey => ({
  schedule: SCHEDULE,
  scheduledTime: time,
  revision: 1,
  kind: 'scheduled',
  ...more,
});
const itemOf = (time: EpochMs, more: Record<string, unknown> = {}, key: Partial<OccurrenceKey> = {}) => ({
  ...occurrenceItemKey(keyOf(time, key)),
  status: 'succeeded',
  due_at: time,
  first_due_at: time,
  created_at: NOON,
  finished_at: time,
  attempt: 1,
  ...more,
});

describe('a limit', () => {
  const need = { slot: 'key:k', limit: 2 };
  const running = async () => true;

  it('is exceeded by one more than it that is under way', async () => {
    const holders = new SlotHolders();
    for (const id of ['a', 'b']) await holders.begin(id, [need], running);
    expect(holders.faults).toEqual([]);
    await holders.begin('c', [need], running);
    expect(holders.faults).toEqual(['c was called in slot key:k of 2 beside 2 others, among them a, b']);
  });

  it('is not exceeded by those that have ended', async () => {
    const holders = new SlotHolders();
    for (const id of ['a', 'b', 'c', 'd']) await holders.begin(id, [need], async () => id === 'a');
    expect(holders.faults).toEqual([]);
  });

  it('is asked of nobody while all that have begun are within it, and of each only once after its end', async () => {
    const holders = new SlotHolders();
    const asked: string[] = [];
    const ends = (id: string) => async () => asked.push(id) < 0;
    for (const id of ['a', 'b']) await holders.begin(id, [need], ends(id));
    expect(asked).toEqual([]);
    for (const id of ['c', 'd', 'e']) await holders.begin(id, [need], ends(id));
    expect(asked).toEqual(['a', 'b', 'c', 'd']);
    expect(holders.faults).toEqual([]);
  });

  it('of a group is the larger one for as long as a change needs to be in force', () => {
    const limits = new GroupLimits();
    limits.set('g', 5, NOON, true);
    expect(limits.at('g', at(MINUTE - 1))).toEqual({ most: 5, least: 5 });
    limits.set('g', 2, at(MINUTE), true);
    expect(limits.at('g', at(MINUTE + SECOND))).toEqual({ most: 5, least: 2 });
    expect(limits.at('g', at(2 * MINUTE))).toEqual({ most: 2, least: 2 });
    limits.set('g', 7, at(150 * SECOND), false);
    expect(limits.at('g', at(5 * MINUTE))).toEqual({ most: 7, least: 2 });
    limits.set('g', undefined, at(3 * MINUTE), true);
    expect(limits.at('g', at(5 * MINUTE))).toEqual({ most: undefined, least: undefined });
  });
});

describe('the record of what reaches a target', () => {
  it('says that it failed itself, or the scheduler would be blamed for the attempt', async () => {
    const life = startLife();
    const time = new VirtualTime(NOON);
    const noted: unknown[] = [];
    const silent = new Error('No answer');
    const record = { add: () => Promise.reject(silent) };
    const calls = new CallCounter(
      time,
      () => {},
      () => {},
    );
    const worker = { name: 'worker', life, clock: time.clock(life) } as Process;
    const target = recordingTarget(
      record,
      calls,
      () => succeeds,
      (error) => noted.push(error),
    )(worker);
    const { signal } = new AbortController();

    await expect(target.call({} as never, {} as never, NOON, signal)).rejects.toBe(silent);
    expect(noted).toEqual([silent]);
  });
});

describe('a slot', () => {
  const a = { id: 'a', slots: ['key:k'] };
  const waiting = [{ id: 'b', slots: ['key:k', 'group:g'] }];
  const look = (idle: IdleSlots, seconds: number, state: Partial<SlotState>) =>
    idle.look({ now: at(seconds * SECOND), running: [], waiting, limitOf: () => 1, ...state });

  it('stands free too long when nobody comes for longer than a sweep takes', () => {
    const idle = new IdleSlots();
    look(idle, 0, { running: [a] });
    for (const seconds of [10, 70]) look(idle, seconds, {});
    expect(idle.faults).toEqual([]);
    look(idle, 90, {});
    expect(idle.faults).toEqual([
      'slot key:k has stood free for 80 s while b waited',
      'slot group:g has stood free for 80 s while b waited',
    ]);
  });

  it('does not while it is full, while others come and go, or while another of its slots is full', () => {
    const idle = new IdleSlots();
    for (let seconds = 0; seconds < 600; seconds += 30) look(idle, seconds, { running: [a] });
    for (let seconds = 600; seconds < 1200; seconds += 60) {
      look(idle, seconds, {});
      look(idle, seconds + 30, { running: [{ ...a, id: `a${seconds}` }] });
    }
    const other = { id: 'c', slots: ['group:g'] };
    for (let seconds = 1200; seconds < 1800; seconds += 30) look(idle, seconds, { running: [other] });
    expect(idle.faults).toEqual([]);
  });
});

describe('buffer-all', () => {
  const call = (second: number, startedAt: number, createdAt = 0) => ({
    id: occurrenceId(keyOf(at(second * SECOND))),
    schedule: SCHEDULE,
    scheduledTime: at(second * SECOND),
    dueAt: at(second * SECOND),
    createdAt: at(createdAt * SECOND),
    at: at(startedAt * SECOND),
  });

  it('is out of order where one starts before another that was due before it', () => {
    expect(orderFaults([call(1, 1), call(3, 5), call(2, 9)])).toEqual([
      'tests~a~20260301T120002000Z~1 was overtaken by tests~a~20260301T120003000Z~1',
    ]);
  });

  it('is in order where the earlier one was made only later', () => {
    expect(orderFaults([call(1, 1), call(3, 5), call(2, 9, 6)])).toEqual([]);
  });
});

describe('a late run', () => {
  const late = (minutes: number, policy: Partial<typeof DEFAULT_CATCH_UP>, later: readonly number[]) =>
    lateFaults([
      {
        id: occurrenceId(keyOf(NOON)),
        scheduledTime: NOON,
        dueAt: NOON,
        at: at(minutes * MINUTE),
        catchUp: { ...DEFAULT_CATCH_UP, spreadOver: 'PT0S', ...policy },
        timesUntil: (end) => later.map((minute) => at(minute * MINUTE)).filter((time) => time <= end),
      },
    ]);
  it('is none where what is late is skipped', () => {
    expect(late(1, { mode: 'skip' }, [])).toEqual([]);
    expect(late(2, { mode: 'skip' }, [])).toHaveLength(1);
  });

  it('is one where the latest runs, and the last of them', () => {
    expect(late(30, { mode: 'latest' }, [60])).toEqual([]);
    expect(late(30, { mode: 'latest' }, [10, 20])[0]).toContain('with 2 later times due and a budget of 1');
  });

  it('is of the newest few, and not too old, where all run', () => {
    expect(late(30, { mode: 'all', maxRuns: 3 }, [10, 20])).toEqual([]);
    expect(late(30, { mode: 'all', maxRuns: 2 }, [10, 20])).toHaveLength(1);
    expect(late(90, { mode: 'all', maxRuns: 9, maxAge: 'PT1H' }, [])[0]).toContain('PT1H is the most');
  });

  it('may have been decided on before it was spread', () => {
    const spread = (dueAt: number) =>
      lateFaults([
        {
          id: occurrenceId(keyOf(NOON)),
          scheduledTime: NOON,
          dueAt: at(dueAt * MINUTE),
          at: at(30 * MINUTE),
          catchUp: { ...DEFAULT_CATCH_UP, spreadOver: 'PT20M' },
          timesUntil: (end) => [at(15 * MINUTE)].filter((time) => time <= end),
        },
      ]);
    expect(spread(30)).toEqual([]);
    expect(spread(0)).toHaveLength(1);
  });

  it('is no retry beyond the age that its policy says', () => {
    const retried = (minutes: number) => ({
      id: occurrenceId(keyOf(NOON)),
      attempt: 2,
      at: at(minutes * MINUTE),
      firstDueAt: NOON,
      maxAge: 'PT1H',
    });
    expect(maxAgeFaults([retried(59), retried(62)])).toEqual([
      'attempt 2 of tests~a~20260301T120000000Z~1 was called at 2026-03-01T13:02:00.000Z, beyond PT1H',
    ]);
  });
});

const record = (item: Record<string, unknown> | undefined, old?: Record<string, unknown>): DynamoDBRecord => {
  const { pk, sk } = (item ?? old) as { pk: string; sk: string };
  const image = (of: Record<string, unknown> | undefined) => of && (marshall(of) as never);
  return {
    dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } }, NewImage: image(item), OldImage: image(old) },
  };
};

describe('a record', () => {
  const purgedAt = (time: EpochMs, more: Record<string, unknown> = {}) =>
    purgeFaults([record(itemOf(at(3 * DAY), { retention_days: 1, purge_at: time / SECOND, ...more }))]);

  it('is not purged before its own time has passed, however early it ended', () => {
    expect(purgedAt(at(4 * DAY), { finished_at: NOON })).toEqual([]);
    expect(purgedAt(at(2 * DAY), { finished_at: NOON })).toHaveLength(1);
    expect(purgedAt(at(5 * DAY), { due_at: at(5 * DAY), finished_at: NOON })).toHaveLength(1);
  });

  it('is not to be purged while it is open', () => {
    expect(purgedAt(at(9 * DAY), { status: 'pending' })).toHaveLength(1);
  });

  it('is removed by nothing but its expiry', () => {
    const item = itemOf(NOON);
    expect(illegalMoves([record(undefined, item)])).toHaveLength(1);
    expect(illegalMoves([record(undefined, item)], new Set([`${item.pk} ${item.sk}`]))).toEqual([]);
  });
});

describe('each nominal time', () => {
  const hourly = scheduled('0 * * * *');
  const era = (order: number, from: EpochMs, changes: Partial<ScheduleHead> = {}): Era => {
    const is = head({ id: SCHEDULE, createdAt: from, updatedAt: from, nextDueAt: null, ...changes }, hourly);
    return { order, version: is.version, revision: is.revision, state: is.state, from, head: is };
  };
  const none = { has: () => false };
  const times = [1, 2, 3].map((hour) => at(hour * HOUR));
  const end = at(3 * HOUR);

  it('has one record, also after that was purged', () => {
    const items = times.map((time) => itemOf(time));
    expect(accountFaults([era(1, NOON)], undefined, items, end, none)).toEqual([]);
    expect(accountFaults([era(1, NOON)], undefined, items.slice(1), end, none)).toEqual([
      '2026-03-01T13:00:00.000Z of revision 1 is accounted for by nothing',
    ]);
  });

  it('has no second one that was made when the first was gone', () => {
    const items = [...times, times[0] as EpochMs].map((time) => itemOf(time));
    expect(accountFaults([era(1, NOON)], undefined, items, end, none)).toEqual([
      '2026-03-01T13:00:00.000Z of revision 1 is accounted for by succeeded and succeeded',
    ]);
  });

  it('is that of the schedule that had the name then, when revisions begin anew', () => {
    const eras = [era(1, NOON), era(2, at(HOUR + 1), { state: 'deleted' }), era(3, at(2 * HOUR - 1))];
    const old = itemOf(times[0] as EpochMs);
    const young = times.slice(1).map((time) => itemOf(time, { created_at: at(2 * HOUR) }));
    expect(accountFaults(eras, undefined, [old, ...young], end, none)).toEqual([]);
    expect(accountFaults(eras, undefined, [old, ...young.slice(1)], end, none)).toHaveLength(1);
  });
});

describe('what people trigger', () => {
  const manual = (token: string) => itemOf(NOON, {}, { kind: 'manual', token });
  const id = (token: string) => occurrenceId(keyOf(NOON, { kind: 'manual', token }));

  it('has a record where it was answered, and is made once', () => {
    expect(triggerFaults([manual('x')], { asked: 1, answered: new Set([id('x')]) })).toEqual([]);
    expect(triggerFaults([], { asked: 1, answered: new Set([id('x')]) })).toHaveLength(1);
    expect(triggerFaults([manual('x'), manual('y')], { asked: 1, answered: new Set() })).toHaveLength(1);
    expect(triggerFaults([manual('x'), manual('x')], { asked: 2, answered: new Set() })).toHaveLength(1);
  });
});

describe('a call', () => {
  const call = (order: number, fencingToken: number, more: Partial<TargetCall> = {}): TargetCall => ({
    order,
    at: NOON,
    invocation: {
      id: occurrenceId(keyOf(NOON, { kind: 'manual', token: 'x' })),
      idempotencyKey: 'key',
      schedule: SCHEDULE,
      fencingToken,
      revision: 1,
      attempt: 1,
      kind: 'manual',
    } as TargetCall['invocation'],
    item: { status: 'running', fencing_token: fencingToken, due_at: NOON, lease_expires_at: at(MINUTE) },
    ...more,
  });
  const historyOf = (...heads: readonly (readonly [number, ScheduleHead])[]) =>
    ({
      returned: new Map([[SCHEDULE, heads.map(([order, is]) => ({ order, head: is }))]]),
      returnedBackfills: [],
    }) as unknown as History;

  it('has a larger token than any before it under its key, whatever was purged in between', () => {
    expect(attemptFaults([call(1, 1), call(2, 2)], historyOf(), new Map())).toEqual([]);
    expect(attemptFaults([call(1, 1), call(2, 1)], historyOf(), new Map())).toHaveLength(1);
  });

  it('does not come of a schedule that was deleted, also when its name is used again', () => {
    const live = head({ id: SCHEDULE }, definition());
    const gone = { ...live, state: 'deleted', updatedAt: epochMs(NOON + HOUR) } as const;
    const history = historyOf([1, live], [2, gone], [3, { ...live, revision: 2 }]);
    const of = (created_at: EpochMs) => [call(5, 1, { item: { ...call(5, 1).item, created_at } })];
    expect(attemptFaults(of(at(2 * HOUR)), history, new Map())).toEqual([]);
    expect(attemptFaults(of(NOON), history, new Map())).toEqual([
      expect.stringContaining('was called after the schedule that it came from was deleted'),
    ]);
  });
});
