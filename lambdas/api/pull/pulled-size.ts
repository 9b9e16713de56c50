import type { Json } from '../../core/json.ts';
import type { PendingOccurrence } from '../../core/occurrence/occurrence.ts';
import type { ScheduleStore } from '../../core/ports/schedule-store.ts';
import type { Revision } from '../../core/schedule/revision.ts';
import { fillPlaceholders, LONGEST_VALUES } from '../../core/targets/placeholders.ts';
import { jsonBytes } from '../http/page.ts';

/** What stands around the input of an item that was pulled: its ids, times and token, at their longest. */
const AROUND = 1_500;

/**
 * Bytes that an occurrence takes at most in the answer of a claim. It is asked before the claim: what is
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
  return AROUND + (input === undefined ? 0 : jsonBytes(fillPlaceholders(input, LONGEST_VALUES)));
}
