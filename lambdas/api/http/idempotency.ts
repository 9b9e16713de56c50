import { PunctualError } from '../../core/errors.ts';
import type { IdempotencyRecord } from '../../core/ports/idempotency-record.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Schedules } from '../deps.ts';

/** What an earlier request under this key made; refused when that was another request. */
export async function recallAnswer(
  schedules: Pick<Schedules, 'readIdempotency'>,
  wanted: IdempotencyRecord,
  now: EpochMs,
): Promise<string | undefined> {
  const known = await schedules.readIdempotency(wanted.key, now);
  if (!known || known.requestHash === wanted.requestHash) return known?.result;
  throw new PunctualError(
    'idempotency.mismatch',
    'This Idempotency-Key came with another request before. Use a new key for a new request.',
    { field: 'Idempotency-Key' },
  );
}
