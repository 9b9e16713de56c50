import type { OccurrenceId } from '../../core/ids.ts';
import type { IdempotencyRecord } from '../../core/ports/idempotency-record.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Schedules } from '../deps.ts';
import { recallAnswer } from '../http/idempotency.ts';

/** What a claim under an Idempotency-Key has come to. */
export interface RememberedClaim {
  /** All that it may have claimed. */
  readonly tried: readonly OccurrenceId[];
  /** It claims no more. */
  readonly isOver: boolean;
}

export interface ClaimMemory {
  /** What another copy of the request has noted; undefined: none has, or this one is at it. */
  recall(now: EpochMs): Promise<RememberedClaim | undefined>;
  /** Before these are claimed; false: another copy of the request is at it, and this one claims nothing. */
  note(tried: readonly OccurrenceId[], now: EpochMs): Promise<boolean>;
  /** Once nothing more is claimed. */
  close(claimed: readonly OccurrenceId[], now: EpochMs): Promise<void>;
}

/** Without a key nothing is remembered. */
export const NO_MEMORY: ClaimMemory = {
  recall: async () => undefined,
  note: async () => true,
  close: async () => {},
};

/**
 * Remembers a claim, so that its repetition is answered with the same work. What is to be tried is written before it is
 * claimed: however the request ends, the items that it claimed are found by it.
 */
export function createClaimMemory(
  schedules: Pick<Schedules, 'readIdempotency' | 'writeIdempotency'>,
  { key, requestHash }: Pick<IdempotencyRecord, 'key' | 'requestHash'>,
): ClaimMemory {
  let mine: { readonly tried: readonly OccurrenceId[]; readonly result: string } | undefined;

  async function write(remembered: RememberedClaim, now: EpochMs): Promise<boolean> {
    const result = JSON.stringify(remembered);
    const record = { key, requestHash, result };
    if (!(await schedules.writeIdempotency(record, mine?.result, now))) return false;
    mine = { tried: remembered.tried, result };
    return true;
  }

  return {
    async recall(now) {
      if (mine) return undefined;
      const known = await recallAnswer(schedules, { key, requestHash, result: '' }, now);
      return known === undefined ? undefined : (JSON.parse(known) as RememberedClaim);
    },
    note: (tried, now) => write({ tried: [...(mine?.tried ?? []), ...tried], isOver: false }, now),
    async close(claimed, now) {
      // Should it fail, what was tried is remembered: enough to find what was claimed, only not at once.
      if (mine) await write({ tried: claimed, isOver: true }, now).catch(() => false);
    },
  };
}
