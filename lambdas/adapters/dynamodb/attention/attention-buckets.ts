import { hash48 } from '../../../core/hash.ts';
import { type OccurrenceKey, occurrenceId } from '../../../core/ids.ts';
import { type EpochMs, toIso } from '../../../core/time.ts';

/**
 * Buckets of the `attention` index. A partition of an index takes 1,000 writes a second, and one that takes no more
 * throttles the table: so each day and each pull queue is spread over several, by a hash of the occurrence, and what
 * reads them puts them together again (attention-keys.ts).
 */

/** A failure is one write: 8,000 a second, ten times what may start a second in the reference case. */
const DAY_BUCKETS = 8;
/** An occurrence comes and goes, which is two writes: 2,000 a second in each queue. A claim reads every one. */
export const PULL_BUCKETS = 4;

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const bucketOf = (key: OccurrenceKey, count: number): number => hash48(occurrenceId(key)) % count;

const dayBucket = (day: string, index: number): string => `${day}#${index}`;
const pullBucket = (queue: string, index: number): string => `pull#${queue}#${index}`;

/** All buckets of a UTC day (`2026-03-01`). */
export const dayBuckets = (day: string): string[] => range(DAY_BUCKETS).map((index) => dayBucket(day, index));
/** All buckets of a queue that outside workers claim from. */
export const pullBuckets = (queue: string): string[] =>
  range(PULL_BUCKETS).map((index) => pullBucket(queue, index));

/** Where an occurrence stands that is for outside workers of this queue, while it is pending. */
export function pullBucketOf(key: OccurrenceKey, queue: string): string {
  return pullBucket(queue, bucketOf(key, PULL_BUCKETS));
}

/** Attributes of an occurrence that ended without success. */
export function attention(key: OccurrenceKey, now: EpochMs): Readonly<Record<string, unknown>> {
  const day = toIso(now).slice(0, 'yyyy-mm-dd'.length);
  return { attention_day: dayBucket(day, bucketOf(key, DAY_BUCKETS)), attention_at: now };
}
