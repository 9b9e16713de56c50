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
 * workers, by queue. Each in several buckets (adapters/dynamodb/attention-buckets.ts).
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
