import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WORKER_MAX_CONCURRENCY } from '../../lib/config.ts';
import { FairQueue, type Message } from './fair-queue.ts';
import { delayOfSingle, type Flood, WHILE_IT_LASTS, WITH_IT, worstDelay } from './fairness.ts';
import { DEFAULT_START, type Pollers, processesAt } from './pollers.ts';

const GUARANTEES = new URL('../../docs/guarantees.md', import.meta.url);
/** What is promised: a single job of another group starts within two seconds of its time. */
const PROMISE = 2_000;
const FLOOD = { jobs: 10_000 };

/** What a deployment without settings asks for, of the account's 1,000 invocations at once. */
const DEFAULT = { kind: 'default', least: DEFAULT_START, most: WORKER_MAX_CONCURRENCY } as const;
/** As many pollers as the same number of invocations have room for; more where the least are more. */
const provisioned = (least: number) =>
  ({ kind: 'provisioned', least, most: Math.max(least, WORKER_MAX_CONCURRENCY / 10) }) as const;
const SETTINGS: readonly (readonly [string, Omit<Pollers, 'growth'>])[] = [
  ['default', DEFAULT],
  ['`workerMaxConcurrency` 50', { ...DEFAULT, most: 50 }],
  ['`workerMinPollers` 2', provisioned(2)],
  ['`workerMinPollers` 20', provisioned(20)],
  ['`workerMinPollers` 200', provisioned(200)],
];
/** Below the five invocations that there are in any case. */
const GROUP_LIMIT = 4;

const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(1);

function row([name, settings]: (typeof SETTINGS)[number], jobMs: number): string {
  const evenly = { ...FLOOD, jobMs, pollers: { ...settings, growth: 'evenly' } } as const;
  const byMinute = { ...FLOOD, jobMs, pollers: { ...settings, growth: 'by-minute' } } as const;
  const delays = [
    worstDelay({ ...evenly, fair: false }, WITH_IT),
    worstDelay({ ...evenly, fair: true }, WHILE_IT_LASTS),
    worstDelay({ ...byMinute, fair: true }, WHILE_IT_LASTS),
    worstDelay({ ...byMinute, fair: true, groupLimit: GROUP_LIMIT }, WHILE_IT_LASTS),
  ];
  return `| ${name} | ${jobMs / 1_000} s | ${delays.map(seconds).join(' | ')} |`;
}

function single(flood: Partial<Flood> & Pick<Flood, 'pollers' | 'jobMs'>): number {
  const rest = { ...FLOOD, fair: true, detectionMs: 0, seed: 1 };
  return delayOfSingle({ ...rest, single: { dueAt: 0, place: 'last' }, ...flood });
}

const SEEDS = Array.from({ length: 10 }, (_, index) => index + 1);
const evenly = { ...DEFAULT, growth: 'evenly' } as const;
const byMinute = { ...DEFAULT, growth: 'by-minute' } as const;

describe('one job of a quiet group, while 10,000 of another are due', () => {
  it('starts as late as docs/guarantees.md says, for each setting', () => {
    const told = readFileSync(GUARANTEES, 'utf8')
      .split('\n')
      .filter((line) => /^\| .* \| \d+ s \| /.test(line));
    const rows = SETTINGS.flatMap((settings) => [1_000, 60_000].map((jobMs) => row(settings, jobMs)));
    expect(told).toEqual(rows);
  }, 120_000);

  it.each([200, 1_000, 10_000, 60_000, 600_000])(
    'starts within two seconds by default, with jobs of %d ms, if invocations are added evenly',
    (jobMs) => {
      const late = SEEDS.map((seed) =>
        single({ pollers: evenly, jobMs, seed, detectionMs: (seed % 3) * 500 }),
      );
      expect(Math.max(...late)).toBeLessThanOrEqual(PROMISE);
    },
  );

  it('waits for the whole flood that is before it where the queue is not fair', () => {
    for (const seed of SEEDS)
      expect(single({ pollers: evenly, jobMs: 1_000, seed, fair: false })).toBeGreaterThan(5 * PROMISE);
  });

  it('waits for a job of the flood to end where there is no invocation left, fair or not', () => {
    const full = { ...evenly, most: 50 };
    const late = single({ pollers: full, jobMs: 60_000, single: { dueAt: 30_000, place: 'last' } });
    expect(late).toBeGreaterThan(PROMISE);
    // At the latest when the shortest of all has ended.
    expect(late).toBeLessThan(90_000);
    expect(single({ pollers: byMinute, jobMs: 60_000 })).toBeGreaterThan(PROMISE);
  });

  it.each([1_000, 60_000, 600_000])(
    'starts within two seconds, with jobs of %d ms, however invocations are added, if the other group has a limit below them',
    (jobMs) => {
      for (const seed of SEEDS) {
        const late = single({ pollers: byMinute, jobMs, seed, groupLimit: GROUP_LIMIT });
        expect(late).toBeLessThanOrEqual(PROMISE);
      }
    },
  );

  it('gets no more from a limit than the invocations that it leaves free', () => {
    const late = SEEDS.map((seed) =>
      single({ pollers: byMinute, jobMs: 60_000, seed, groupLimit: 4 * DEFAULT_START }),
    );
    expect(Math.max(...late)).toBeGreaterThan(PROMISE);
  });
});

describe('the queue', () => {
  const message = (group: string): Message => ({ group, dueAt: 0 });
  function queueWith(groups: Readonly<Record<string, number>>, detectionMs = 0): FairQueue {
    const queue = new FairQueue({ fair: true, detectionMs });
    for (const [group, count] of Object.entries(groups))
      for (let sent = 0; sent < count; sent += 1) queue.send(message(group));
    return queue;
  }
  const groupsOf = (batch: readonly Message[]) => batch.map(({ group }) => group);

  it('delivers in order until a group has thirty in flight and more than a tenth of all', () => {
    const queue = queueWith({ a: 100, b: 1 });
    for (let batch = 0; batch < 3; batch += 1)
      expect(new Set(groupsOf(queue.receive(0)))).toEqual(new Set(['a']));
    expect(groupsOf(queue.receive(0))).toEqual(['b', ...Array.from({ length: 9 }, () => 'a')]);
  });

  it('takes no group for noisy with a tenth or less', () => {
    const queue = queueWith({ rest: 300 });
    for (let batch = 0; batch < 30; batch += 1) queue.receive(0);
    for (let sent = 0; sent < 40; sent += 1) queue.send(message('a'));
    for (let batch = 0; batch < 3; batch += 1) queue.receive(0);
    queue.send(message('b'));
    expect(groupsOf(queue.receive(0))).toEqual(Array.from({ length: 10 }, () => 'a'));
  });

  it('acts on what it sees only after its detection', () => {
    const queue = queueWith({ a: 100, b: 1 }, 500);
    for (let batch = 0; batch < 3; batch += 1) queue.receive(0);
    expect(groupsOf(queue.receive(499))).not.toContain('b');
    expect(groupsOf(queue.receive(500))).toContain('b');
  });

  it('gives noisy groups their turn by what they have in flight', () => {
    const queue = queueWith({ a: 100, b: 100 });
    for (let batch = 0; batch < 3; batch += 1) queue.receive(0);
    // Only b is quiet now, until it has thirty as well; then the two take turns.
    for (let batch = 0; batch < 3; batch += 1)
      expect(new Set(groupsOf(queue.receive(0)))).toEqual(new Set(['b']));
    const [first, second] = [groupsOf(queue.receive(0)), groupsOf(queue.receive(0))];
    expect(new Set([...first, ...second])).toEqual(new Set(['a', 'b']));
  });

  it('forgets a group whose backlog is gone', () => {
    const queue = queueWith({ a: 41 });
    for (let batch = 0; batch < 5; batch += 1) queue.receive(0);
    expect(queue.size).toBe(0);
    queue.send(message('a'));
    queue.send(message('b'));
    expect(groupsOf(queue.receive(0))).toEqual(['a', 'b']);
  });
});

it('invocations grow by what AWS says a minute', () => {
  expect([0, 59_999, 60_000, 120_000].map((at) => processesAt(byMinute, at))).toEqual([5, 5, 305, 605]);
  expect([0, 30_000, 60_000, 600_000].map((at) => processesAt(evenly, at))).toEqual([5, 155, 305, 800]);
  expect(processesAt({ ...provisioned(2), growth: 'evenly' }, 30_000)).toBe(52);
  expect(processesAt({ ...provisioned(2), growth: 'evenly' }, 60_000)).toBe(80);
});
