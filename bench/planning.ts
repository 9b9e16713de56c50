/**
 * What a tick computes for a page of a hundred schedules: the tick itself over a store in memory, so that all the time
 * is its own. Beside it the floor, in the same run: turning the items that it makes into DynamoDB's JSON, which whoever
 * writes them has to do. Run: `npm run bench:planning`.
 */
import { marshall } from '@aws-sdk/util-dynamodb';
import { pendingItem } from '../lambdas/adapters/dynamodb/occurrences/occurrence-items.ts';
import type { PlannedOccurrence } from '../lambdas/core/planning/planner.ts';
import type { ScheduleHead } from '../lambdas/core/schedule/head.ts';
import { headRecurrence } from '../lambdas/core/schedule/head-recurrence.ts';
import { type EpochMs, epochMs, HOUR, MINUTE } from '../lambdas/core/time.ts';
import { type TickDeps, tick } from '../lambdas/tick/tick.ts';
import { at, definition, head, NOON } from '../test/support/fixtures.ts';

const PAGE = 100;
const ROUNDS = 9;

interface Case {
  readonly name: string;
  /** What the schedule with this number says. */
  readonly says: (number: number) => Parameters<typeof definition>[0];
  readonly nextDueAt?: EpochMs;
}

const BERLIN = { timezone: 'Europe/Berlin' };
const RARE = Array.from({ length: 100 }, (_, number) => `${number % 60} ${number % 60} 3 1 1 *`);
const LATEST = { mode: 'latest', maxAge: 'PT24H', maxRuns: 10, spreadOver: 'PT1M' } as const;

const CASES: readonly Case[] = [
  { name: 'daily, one text', says: () => ({ expression: '1 13 * * *', ...BERLIN }) },
  {
    name: 'daily, a hundred texts',
    says: (number) => ({ expression: `${number % 60} 1 13 1-${20 + (number % 11)} * *`, ...BERLIN }),
  },
  { name: 'each minute', says: () => ({ expression: '* * * * *', ...BERLIN }) },
  { name: 'each second', says: () => ({ expression: '* * * * * *', ...BERLIN }) },
  {
    name: 'each second, 100 exclusions',
    says: () => ({ expression: '* * * * * *', ...BERLIN, exclude: RARE }),
  },
  {
    name: 'each minute, 14 h late, latest',
    says: () => ({ expression: '* * * * *', ...BERLIN, catchUp: LATEST }),
    nextDueAt: at(-14 * HOUR),
  },
];

function pageOf({ says, nextDueAt }: Case): ScheduleHead[] {
  return Array.from({ length: PAGE }, (_, number) => {
    const made = head({}, definition(says(number)));
    const next = nextDueAt ?? headRecurrence(made).next(NOON)?.at;
    if (next === undefined) throw new Error('It never fires.');
    return { ...made, nextDueAt: next };
  });
}

/** A store that has one page to plan, and keeps what is made of it. */
function depsFor(page: readonly ScheduleHead[], made: PlannedOccurrence[]): TickDeps {
  const store = {
    acquireShard: async () => true,
    releaseShard: async () => {},
    async *dueHeads() {
      yield page;
    },
    async materialise(batch: Parameters<TickDeps['store']['materialise']>[0]) {
      for (const { create } of batch) made.push(...create);
      return batch.map(() => ({ kind: 'materialised' }) as const);
    },
  } as unknown as TickDeps['store'];
  const occurrences = { readTallies: async () => new Map() } as unknown as TickDeps['occurrences'];
  return {
    store,
    occurrences,
    recurrenceOf: headRecurrence,
    lead: 2 * MINUTE,
    planWindow: 10 * MINUTE,
    holder: 'bench',
    stopAt: epochMs(NOON + 24 * HOUR),
    now: () => NOON,
  };
}

/** Milliseconds of this process's CPU; the run in between may be stopped by others without being charged for it. */
async function cpuOf(run: () => Promise<unknown> | unknown): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function measure(one: Case) {
  const page = pageOf(one);
  const planning: number[] = [];
  const floor: number[] = [];
  let occurrences = 0;
  for (let round = 0; round <= ROUNDS; round += 1) {
    const made: PlannedOccurrence[] = [];
    const spent = await cpuOf(() => tick(depsFor(page, made), [0]));
    const written = await cpuOf(() => {
      for (const planned of made) marshall(pendingItem(planned, 16, NOON), { removeUndefinedValues: true });
    });
    occurrences = made.length;
    // The first round warms up.
    if (round > 0) {
      planning.push(spent);
      floor.push(written);
    }
  }
  return { name: one.name, occurrences, planning: median(planning), floor: median(floor) };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

console.log(`Node ${process.version}; a page of ${PAGE} schedules, CPU in ms, median of ${ROUNDS} rounds`);
console.log(
  `${'schedules'.padEnd(32)}${'occurrences'.padStart(12)}${'planning'.padStart(10)}${'floor'.padStart(10)}${'ratio'.padStart(8)}`,
);
for (const one of CASES) {
  const { name, occurrences, planning, floor } = await measure(one);
  console.log(
    `${name.padEnd(32)}${String(occurrences).padStart(12)}${planning.toFixed(1).padStart(10)}${floor.toFixed(1).padStart(10)}` +
      `${(planning / floor).toFixed(1).padStart(8)}`,
  );
}
