import { idempotencyKey, occurrenceId } from '../../core/ids.ts';
import type { PendingOccurrence } from '../../core/occurrence.ts';
import { fillPlaceholders, type PlaceholderValues } from '../../core/placeholders.ts';
import type { ScheduleStore } from '../../core/ports.ts';
import type { Json, Revision } from '../../core/schedule.ts';
import { toIso } from '../../core/time.ts';
import { jsonBytes } from '../page.ts';

/** What stands around the input of an item that was pulled: its ids, times and token, at their longest. */
const AROUND = 1_500;

/**
 * Bytes that an occurrence takes in the answer of a claim, or a little more. It is asked before the claim: what is
 * claimed and then not answered would run out its lease with nobody at work on it.
 */
export async function pulledSize(
  schedules: Pick<ScheduleStore, 'readRevision'>,
  pending: PendingOccurrence,
  { definition }: Revision,
): Promise<number> {
  const { inputRevision, inputOverride, schedule } = pending;
  const input =
    inputRevision !== undefined
      ? (await schedules.readRevision(schedule, inputRevision))?.definition.input
      : inputOverride !== undefined
        ? (JSON.parse(inputOverride) as Json)
        : definition.input;
  return AROUND + (input === undefined ? 0 : jsonBytes(fillPlaceholders(input, longestOf(pending))));
}

/** No number of the attempt to come has more digits. */
const NUMBER = Number.MAX_SAFE_INTEGER;

function longestOf(pending: PendingOccurrence): PlaceholderValues {
  const id = occurrenceId(pending);
  const scheduledTime = toIso(pending.scheduledTime);
  return {
    id,
    schedule: pending.schedule,
    scheduledTime,
    previousScheduledTime: scheduledTime,
    nextScheduledTime: scheduledTime,
    attempt: NUMBER,
    kind: pending.kind,
    isCatchUp: false,
    revision: NUMBER,
    idempotencyKey: idempotencyKey(id),
    fencingToken: NUMBER,
  };
}
