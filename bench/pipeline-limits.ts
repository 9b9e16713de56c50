import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { createSchedule, limitGroup } from '../test/support/engine-api.ts';
import type { Arrival } from '../test/support/engine-receiver.ts';
import type { PartOptions } from './pipeline-part.ts';
import { type Check, ms, printChecks } from './pipeline-stats.ts';

const CLIENTS = 8;
/** Milliseconds allowed for one create, with room: all must be there before the first is due. */
const CREATE_BUDGET = 16;

interface Flood {
  readonly group: string;
  readonly jobs: number;
  readonly limit: number;
  /** Milliseconds that the target takes for each. */
  readonly takes: number;
  /** Milliseconds from the due time of the first job to that of the last. */
  readonly spread: number;
  /** Milliseconds after the last is due within which all must have started. */
  readonly within: number;
  /** The share of places that must be in use from the first start to the last. */
  readonly leastUse?: number;
  readonly concurrency?: Readonly<Record<string, unknown>>;
}

/** Many jobs behind few places: never more at once than the limit, in order, and no place left idle. */
export async function limits(options: PartOptions): Promise<readonly Check[]> {
  const { apiUrl } = options;
  await limitGroup(apiUrl, 'limited', 4);
  return [
    ...(await flood(options, {
      group: 'limited',
      jobs: 2_000,
      limit: 4,
      takes: 20,
      spread: 10_000,
      within: 60_000,
    })),
    ...(await flood(options, {
      group: 'keyed',
      jobs: 1_000,
      limit: 150,
      takes: 2_000,
      spread: 0,
      within: 60_000,
      leastUse: 0.8,
      concurrency: { key: 'bench', limit: 150 },
    })),
  ];
}

async function flood(
  { apiUrl, receiver, policy }: PartOptions,
  { group, jobs, limit, takes, spread, within, leastUse, concurrency }: Flood,
): Promise<readonly Check[]> {
  const due = Math.ceil((Date.now() + 10_000 + jobs * CREATE_BUDGET) / 1_000) * 1_000;
  const ends = new Map<Arrival, number>();
  receiver.holdUntil((call) =>
    call.schedule.startsWith(`${group}/`)
      ? sleep(takes).then(() => void ends.set(call, Date.now()))
      : undefined,
  );
  await pMap(
    Array.from({ length: jobs }, (_, index) => index),
    async (index) => {
      const at = new Date(due + Math.floor((index * spread) / jobs / 1_000) * 1_000)
        .toISOString()
        .replace('Z', '');
      const schedule = { group, name: `job-${index}`, expression: `at(${at})`, ...policy };
      await createSchedule(apiUrl, { ...schedule, ...(concurrency && { concurrency }) }, receiver.url);
    },
    { concurrency: CLIENTS },
  );
  const ours = () => receiver.arrivals.filter(({ schedule }) => schedule.startsWith(`${group}/`));
  await receiver.until(() => ours().length >= jobs, due + spread + within * 2.5);
  const arrivals = ours();
  await receiver.until(() => ends.size >= arrivals.length, Date.now() + takes + 5_000);
  const [first, last] = [
    Math.min(...arrivals.map(({ at }) => at)),
    Math.max(...arrivals.map(({ at }) => at)),
  ];
  const most = mostAtOnce(arrivals, ends);
  const use = busy(arrivals, ends, first, last) / (limit * (last - first));

  console.log(`\n${jobs} jobs of ${takes} ms with ${limit} places`);
  console.log(
    `  first start ${ms(first - due)} after due, last ${ms(last - due)}, ${arrivals.length} started`,
  );
  console.log(
    `  at most ${most} at once; ${(use * 100).toFixed(0)}% of the places in use until the last start`,
  );
  const least = Math.max(takes * jobs) / limit;
  console.log(`  ${((last - first) / least).toFixed(1)} times the time that the work itself needs there`);
  console.log(`  ${outOfOrder(arrivals, limit)} were passed by more than ${limit} that had been due later`);
  const checks = [
    {
      what: `all ${jobs} started within ${ms(within)}`,
      holds: new Set(arrivals.map(({ key }) => key)).size === jobs && last - due - spread <= within,
    },
    { what: 'none started twice', holds: new Set(arrivals.map(({ key }) => key)).size === arrivals.length },
    { what: `never more than ${limit} at once`, holds: most <= limit },
    { what: 'in order of due time', holds: outOfOrder(arrivals, limit) === 0 },
    ...(leastUse === undefined
      ? []
      : [{ what: `at least ${leastUse * 100}% of the places in use`, holds: use >= leastUse }]),
  ];
  printChecks(checks);
  return checks;
}

function mostAtOnce(arrivals: readonly Arrival[], ends: ReadonlyMap<Arrival, number>): number {
  const changes = arrivals.flatMap((call) => [
    { at: call.at, by: 1 },
    { at: ends.get(call) ?? Number.POSITIVE_INFINITY, by: -1 },
  ]);
  changes.sort((a, b) => a.at - b.at || a.by - b.by);
  let now = 0;
  let most = 0;
  for (const { by } of changes) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}

function busy(
  arrivals: readonly Arrival[],
  ends: ReadonlyMap<Arrival, number>,
  from: number,
  to: number,
): number {
  return arrivals.reduce(
    (sum, call) => sum + Math.max(0, Math.min(ends.get(call) ?? to, to) - Math.max(call.at, from)),
    0,
  );
}

/**
 * Jobs that more than `limit` others passed, which had been due later: as many start together, and arrive in any order.
 */
function outOfOrder(arrivals: readonly Arrival[], limit: number): number {
  const later: number[] = [];
  let count = 0;
  for (const { scheduledTime } of arrivals) {
    if (later.filter((time) => time > scheduledTime).length > limit) count += 1;
    later.push(scheduledTime);
  }
  return count;
}
