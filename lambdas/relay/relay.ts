import type { OccurrenceId } from '../core/ids.ts';
import type { Dispatch, WorkQueue } from '../core/ports.ts';
import { type EpochMs, epochMs } from '../core/time.ts';

/** Messages in one SendMessageBatch (AWS: API_SendMessageBatch). */
const BATCH = 10;
/** Send batches under way at once. */
const CONCURRENCY = 8;

/** A record of the occurrences stream, as far as the relay cares. */
export interface OutboxRecord {
  readonly sequenceNumber: string;
  readonly dispatch: Dispatch | undefined;
}

/** The images' attributes that decide; what a stream record of the occurrences table holds, unmarshalled. */
export interface OccurrenceImage {
  readonly status: string;
  readonly dispatchSeq: number;
  readonly dueAt: number;
  readonly id: OccurrenceId;
  readonly group: string;
}

/**
 * What a change of an occurrence asks to be handed over: it is pending and its `dispatch_seq` is new. Claims,
 * renewals, settlements and purges pass through the same stream and ask for nothing.
 */
export function dispatchOf(
  before: OccurrenceImage | undefined,
  after: OccurrenceImage | undefined,
): Dispatch | undefined {
  if (after?.status !== 'pending') return undefined;
  const known = before?.status === 'pending' && before.dispatchSeq === after.dispatchSeq;
  if (known) return undefined;
  return { id: after.id, seq: after.dispatchSeq, dueAt: epochMs(after.dueAt), group: after.group };
}

/**
 * Publishes a batch of stream records; answers the sequence numbers that must come again. Sending twice is
 * harmless (the claim is conditional), not sending is not: whatever was not accepted is reported.
 */
export async function relay(
  deps: { readonly queue: WorkQueue; readonly now: () => EpochMs },
  records: readonly OutboxRecord[],
): Promise<{
  readonly sent: number;
  readonly failed: readonly { sequenceNumber: string; reason: string }[];
}> {
  const due = records.flatMap(({ sequenceNumber, dispatch }) =>
    dispatch ? [{ sequenceNumber, dispatch }] : [],
  );
  const batches = Array.from({ length: Math.ceil(due.length / BATCH) }, (_, i) =>
    due.slice(i * BATCH, (i + 1) * BATCH),
  );
  const failed: { sequenceNumber: string; reason: string }[] = [];
  let next = 0;
  const lane = async () => {
    for (let batch = batches[next++]; batch; batch = batches[next++])
      failed.push(...(await sendBatch(deps, batch)));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  return { sent: due.length - failed.length, failed };
}

async function sendBatch(
  deps: { readonly queue: WorkQueue; readonly now: () => EpochMs },
  batch: readonly { readonly sequenceNumber: string; readonly dispatch: Dispatch }[],
) {
  try {
    const refused = await deps.queue.send(
      batch.map(({ dispatch }) => dispatch),
      deps.now(),
    );
    return refused.map(({ index, reason }) => ({
      sequenceNumber: batch[index]?.sequenceNumber ?? '',
      reason,
    }));
  } catch (error) {
    // Not known what was accepted: all of it comes again.
    const reason = error instanceof Error ? error.message : String(error);
    return batch.map(({ sequenceNumber }) => ({ sequenceNumber, reason }));
  }
}
