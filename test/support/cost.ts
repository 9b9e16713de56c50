/**
 * What a deployment costs, as arithmetic: prices times counts. docs/cost.md shows the same, and test/infra/cost.test.ts
 * holds it to these figures.
 */
import { PULL_BUCKETS } from '../../lambdas/adapters/dynamodb/attention/attention-buckets.ts';

/** US dollars, us-east-1, on demand, read from AWS's price pages and lists in 2026; sources in docs/cost.md. */
export const PRICES = {
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  /** A standard queue, and the surcharge of a fair one: our messages name their group. */
  queueRequest: 0.4e-6,
  fairQueueRequest: 0.5e-6,
  invocation: 0.2e-6,
  /** arm64. */
  gigabyteSecond: 0.0000133334,
  apiRequest: 1e-6,
  logGigabyte: 0.5,
  metricMonth: 0.3,
  alarmMetricMonth: 0.1,
  compositeAlarmMonth: 0.5,
  dashboardMonth: 3,
  keyMonth: 1,
  keyRequest: 0.03 / 10_000,
} as const;

/** Thirty days. */
export const MINUTES = 30 * 24 * 60;

/**
 * Units of DynamoDB in a minute without anything to do: a shard's lease is taken and given back, and it is looked at by
 * tick, backfills, sweep, watermark and watch, and the index of what waits for slots by the sweep
 * (test/store/cost.test.ts). Each invocation of tick and sweep asks whether
 * the shard count has grown; that it has not is a condition that fails, which AWS bills as a write.
 */
export const IDLE_MINUTE = {
  writesPerInvocation: 1,
  writesPerShard: 2,
  readsPerShard: 4,
  readsPerSweep: 4,
} as const;

/** Not measured: AWS bills what it measures. Seconds and bytes of an invocation that finds nothing to do. */
export const ASSUMED = {
  idleSeconds: 0.2,
  logBytes: 1_200,
  /** A worker's own work for a batch, without its targets. */
  workerSeconds: 0.15,
  /** A message comes up to a second early and is waited for. */
  earlySeconds: 0.5,
  relaySeconds: 0.1,
  /** A request of the API that finds little to do. */
  apiSeconds: 0.05,
} as const;

/** Write units of an occurrence from creation to settlement (test/store/cost.test.ts). */
export const WRITES = { daily: 10, eachMinute: 6.44, slot: 2 } as const;
/** Read units of it: head before and after the claim, its share of index and revision. */
const READS = 3;

export interface IdleInputs {
  readonly shards: number;
  readonly shardsPerInvocation: number;
  readonly canary: boolean;
  /** From the template. */
  readonly alarmMetrics: number;
  readonly compositeAlarms: number;
  readonly dashboards: number;
  /** Custom metrics that are reported in each hour. */
  readonly metrics: number;
  readonly tickGigabytes: number;
  readonly key: boolean;
}

export type Lines = readonly (readonly [what: string, dollars: number])[];

const GIGABYTE = 1e9;

/** A month in which nothing is scheduled, line by line. */
export function idleMonth(inputs: IdleInputs): Lines {
  const { shards, shardsPerInvocation, tickGigabytes } = inputs;
  const lists = Math.ceil(shards / shardsPerInvocation);
  // With more than one list the clock's invocation hands them out and does nothing else.
  const invocations = MINUTES * ((lists === 1 ? 1 : lists + 1) + 1);
  const seconds = MINUTES * ASSUMED.idleSeconds * (lists * tickGigabytes + 0.5);
  const lines: [string, number][] = [
    ['alarms', inputs.alarmMetrics * PRICES.alarmMetricMonth],
    ['composite alarms', inputs.compositeAlarms * PRICES.compositeAlarmMonth],
    ['dashboards, beyond the three that an account has free', inputs.dashboards * PRICES.dashboardMonth],
    ['metrics that are reported each minute', inputs.metrics * PRICES.metricMonth],
    ['shard leases, writes', MINUTES * shards * IDLE_MINUTE.writesPerShard * PRICES.writeUnit],
    ['largest shard count, writes', invocations * IDLE_MINUTE.writesPerInvocation * PRICES.writeUnit],
    [
      'looking at shards, reads',
      MINUTES * (shards * IDLE_MINUTE.readsPerShard + IDLE_MINUTE.readsPerSweep) * PRICES.readUnit,
    ],
    ['ticks and sweeps, Lambda', invocations * PRICES.invocation + seconds * PRICES.gigabyteSecond],
    ['ticks and sweeps, logs', (invocations * ASSUMED.logBytes * PRICES.logGigabyte) / GIGABYTE],
    // Five pollers that ask for 20 seconds each time; AWS may go down to two.
    ['empty receives, SQS', MINUTES * 3 * 5 * PRICES.queueRequest],
  ];
  if (inputs.canary)
    lines.push(['canary, one occurrence a minute', MINUTES * sum(occurrence('eachMinute', 1))]);
  if (inputs.key)
    lines.push(['KMS key', PRICES.keyMonth], ['requests to KMS', keyRequests() * PRICES.keyRequest]);
  return lines;
}

/**
 * Requests to KMS in a month at most: queues by AWS's formula (seconds / reuse × (2 × producers + consumers), relay and
 * worker producing, worker consuming), and each of five roles for each of two tables every five minutes.
 */
function keyRequests(): number {
  const periods = MINUTES / 5;
  return periods * (2 * 2 + 1) + periods * 5 * 2;
}

/**
 * One occurrence without its target's own time, line by line.
 * `batch`: messages that a worker, relay and queue handle together, 1 to 10.
 */
export function occurrence(kind: 'daily' | 'eachMinute', batch: number, slot = false): Lines {
  const writes = WRITES[kind] + (slot ? WRITES.slot : 0);
  const workerSeconds = (ASSUMED.workerSeconds + ASSUMED.earlySeconds) / batch;
  const relaySeconds = ASSUMED.relaySeconds / batch;
  return [
    ['DynamoDB writes', writes * PRICES.writeUnit],
    ['DynamoDB reads', READS * PRICES.readUnit],
    ['SQS: send, receive, delete', (3 / batch) * PRICES.fairQueueRequest],
    ['Lambda requests', (2 / batch) * PRICES.invocation],
    [
      'Lambda time, half a second of waiting with it',
      0.5 * (workerSeconds + relaySeconds) * PRICES.gigabyteSecond,
    ],
    ['logs', ((2 / batch) * ASSUMED.logBytes * PRICES.logGigabyte) / GIGABYTE],
  ];
}

export function sum(lines: Lines): number {
  return lines.reduce((total, [, dollars]) => total + dollars, 0);
}

/** An outside worker that asks an empty pull queue all month: without a wait each so many seconds, else at once again. */
export interface Pulling {
  readonly waitSeconds: number;
  readonly everySeconds: number;
  /** Of the api function. */
  readonly gigabytes: number;
}

/** A look at a queue reads each of its buckets, and an empty answer is half a unit. */
const READS_PER_LOOK = PULL_BUCKETS * 0.5;

export function emptyPull({ waitSeconds, everySeconds, gigabytes }: Pulling): Lines {
  const requests = (MINUTES * 60) / Math.max(waitSeconds, everySeconds);
  // It looks when it is asked, and each second while it waits.
  const looks = requests * (1 + waitSeconds);
  const seconds = requests * (waitSeconds + ASSUMED.apiSeconds);
  return [
    ['Lambda time', seconds * gigabytes * PRICES.gigabyteSecond],
    ['Lambda requests', requests * PRICES.invocation],
    ['API Gateway', requests * PRICES.apiRequest],
    ['DynamoDB reads', looks * READS_PER_LOOK * PRICES.readUnit],
    ['logs', requests * ASSUMED.logBytes * (PRICES.logGigabyte / 1e9)],
  ];
}
