/**
 * The two tables and five indexes, as data: the CDK constructs, the embedded run and the tests all build
 * them from here, so that they cannot differ.
 */
export interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N';
}

export interface IndexSpec {
  readonly indexName: string;
  readonly partitionKey: KeyAttribute;
  readonly sortKey: KeyAttribute;
}

export interface TableSpec {
  readonly partitionKey: KeyAttribute;
  readonly sortKey: KeyAttribute;
  /** Every index is KEYS_ONLY: what it lists is read from the table, consistently, before it is believed. */
  readonly indexes: readonly IndexSpec[];
  /** Epoch **seconds**; only items that are finished carry it. */
  readonly ttlAttribute: string;
  readonly stream: boolean;
}

const KEY = {
  partitionKey: { name: 'pk', type: 'S' },
  sortKey: { name: 'sk', type: 'S' },
} as const;

export const TTL_ATTRIBUTE = 'purge_at';

/**
 * What partition keys are, or begin with where they end in `#`. The adapters make keys of them and IAM's conditions name
 * items by them: both read them here, so that a rename cannot end as AccessDenied.
 */
export const PARTITION = {
  /** `S#<group>/<name>`: all that belongs to one schedule, in both tables. */
  schedule: 'S#',
  group: 'G#',
  /** All calendars, for listing. */
  calendars: 'CALENDARS',
  /** `K#<calendar>`: versions of a calendar, and the schedules that use it. */
  calendar: 'K#',
  idempotency: 'I#',
  /** `SHARD#<number>`: the lease of one shard. */
  shard: 'SHARD#',
  /** The largest shard count ever used, and what a sweep leaves for the next one. */
  shards: 'SHARDS',
  /** `C#<slot>#<stripe>`: concurrency slots. */
  slot: 'C#',
} as const;

/** The same for sort keys. */
export const SORT = {
  head: 'HEAD',
  revision: 'R#',
  backfill: 'B#',
  watch: 'WATCH',
  occurrence: 'O#',
  catchUpTally: 'CATCH-UP',
  calendarVersion: 'V#',
  group: 'GROUP',
  idempotency: 'IDEMPOTENCY',
  shardCount: 'COUNT',
  shardLease: 'LEASE',
  slot: 'SLOT',
  sweepMemory: 'SWEEP#',
} as const;

/** On the watch of a schedule. The worker may write this attribute of its items and no other. */
export const LAST_SUCCESS_ATTRIBUTE = 'last_success_at';

/**
 * Sparse: enabled heads that have a next time, and backfills that are under way. The tick's queue. Under a
 * negative shard, which is none of schedules: when the sweep is to look whether a schedule has succeeded.
 */
export const DUE_INDEX = {
  indexName: 'due',
  partitionKey: { name: 'shard', type: 'N' },
  sortKey: { name: 'next_due_at', type: 'N' },
} as const satisfies IndexSpec;

/** Heads by group, for listing. No attribute that a tick changes is in it. */
export const BY_GROUP_INDEX = {
  indexName: 'by_group',
  partitionKey: { name: 'group', type: 'S' },
  sortKey: { name: 'name', type: 'S' },
} as const satisfies IndexSpec;

/**
 * Sparse: occurrences that are not terminal. Feeds the sweep and the overdue metric. What outside workers claim is in
 * partitions of its own: a queue that nobody works on stands in the way of nothing else.
 */
export const OPEN_INDEX = {
  indexName: 'open',
  partitionKey: { name: 'open_shard', type: 'N' },
  sortKey: { name: 'due_at', type: 'N' },
} as const satisfies IndexSpec;

/** Beyond every shard count that a deployment may have. */
const PULL_PARTITIONS = 1_000;

export function openPartition(kind: 'work' | 'pull', shard: number): number {
  return kind === 'pull' ? PULL_PARTITIONS + shard : shard;
}

/**
 * Sparse: failed and missed occurrences by UTC day, for "what failed today" without a scan; and what waits for outside
 * workers, by queue. Each in several buckets (adapters/dynamodb/attention/attention-buckets.ts).
 */
export const ATTENTION_INDEX = {
  indexName: 'attention',
  partitionKey: { name: 'attention_day', type: 'S' },
  sortKey: { name: 'attention_at', type: 'N' },
} as const satisfies IndexSpec;

/**
 * Sparse: occurrences that wait for a place in a slot, by slot and then in the order in which they are to have it. An
 * occurrence is in it exactly while it waits, by the same write, so no line can get lost.
 */
export const WAITING_INDEX = {
  indexName: 'waiting',
  partitionKey: { name: 'waiting_shard', type: 'N' },
  sortKey: { name: 'waiting_key', type: 'S' },
} as const satisfies IndexSpec;

/** Partitions of it; the slots are spread over them by hash. */
export const WAITING_SHARDS = 8;

export const SCHEDULES_TABLE: TableSpec = {
  ...KEY,
  indexes: [DUE_INDEX, BY_GROUP_INDEX],
  ttlAttribute: TTL_ATTRIBUTE,
  stream: false,
};

export const OCCURRENCES_TABLE: TableSpec = {
  ...KEY,
  indexes: [OPEN_INDEX, ATTENTION_INDEX, WAITING_INDEX],
  ttlAttribute: TTL_ATTRIBUTE,
  stream: true,
};

/**
 * The event source mapping's filter on the occurrences stream: only records whose new image is pending.
 * It saves invocations; the relay checks again for itself.
 */
export const RELAY_FILTER = {
  eventName: ['INSERT', 'MODIFY'],
  dynamodb: { NewImage: { status: { S: ['pending'] } } },
} as const;
