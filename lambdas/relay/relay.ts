import pMap from 'p-map';
import type { OccurrenceId, Places } from '../core/ids.ts';
import type { Dispatch } from '../core/occurrence/dispatch.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { WorkQueue } from '../core/ports/work-queue.ts';
import { epochMs } from '../core/time.ts';

/** Messages in one SendMessageBatch (AWS: API_SendMessageBatch). */
const BATCH = 10;
/** Batches under way at once. */
const CONCURRENCY = 8;

/** What an image of an occurrence says, as far as handing it over is concerned. */
export interface OccurrenceImage {
  readonly id: OccurrenceId;
  readonly group: string;
  readonly status: string;
  /** Outside workers find it by themselves. */
  readonly pull: boolean;
  readonly dispatchSeq: number;
  readonly sends: number;
  /** For a slot: it is handed over when it is woken. */
  readonly waits: boolean;
  /** Whoever woke it starts it, without a message. */
  readonly isDirect: boolean;
  readonly places?: Places;
  readonly dueAt: number;
}

/** One record of the occurrences stream. */
export interface OutboxRecord {
  readonly sequenceNumber: string;
  readonly before: OccurrenceImage | undefined;
  readonly after: OccurrenceImage | undefined;
}

export interface RelayResult {
  readonly sent: number;
  readonly failed: readonly { readonly sequenceNumber: string; readonly reason: string }[];
}

interface Deps {
  readonly queue: WorkQueue;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * What a change of an occurrence asks to be handed over: it is pending, and its `dispatch_seq` is new
 * or it is to be sent again under the same. Claims,
 * renewals, settlements and purges pass through the same stream and ask for nothing.
 */
export function dispatchOf({ before, after }: OutboxRecord): Dispatch | undefined {
  if (after?.status !== 'pending' || after.pull || after.waits) return undefined;
  const isSame = before?.dispatchSeq === after.dispatchSeq && before.sends === after.sends;
  if (before?.status === 'pending' && isSame) return undefined;
  if (after.isDirect && before?.dispatchSeq !== after.dispatchSeq) return undefined;
  const { id, dispatchSeq, group, places } = after;
  return { id, seq: dispatchSeq, dueAt: epochMs(after.dueAt), group, ...(places && { places }) };
}

/**
 * Publishes a batch of stream records and answers those that must come again. Sending twice is harmless (the
 * claim is conditional), not sending is not: whatever was not accepted is reported.
 */
export async function relay(deps: Deps, records: readonly OutboxRecord[]): Promise<RelayResult> {
  const due = records.flatMap((record) => {
    const dispatch = dispatchOf(record);
    return dispatch ? [{ sequenceNumber: record.sequenceNumber, dispatch }] : [];
  });
  const batches = Array.from({ length: Math.ceil(due.length / BATCH) }, (_, index) =>
    due.slice(index * BATCH, (index + 1) * BATCH),
  );
  const failed = (
    await pMap(batches, (batch) => sendBatch(deps, batch), { concurrency: CONCURRENCY })
  ).flat();
  return { sent: due.length - failed.length, failed };
}

async function sendBatch(
  { queue, clock }: Deps,
  batch: readonly { readonly sequenceNumber: string; readonly dispatch: Dispatch }[],
) {
  try {
    const refused = await queue.send(
      batch.map(({ dispatch }) => dispatch),
      clock.now(),
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
