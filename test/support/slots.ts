import { type ClaimEnd, claimWithOverlapPolicy } from '../../lambdas/core/attempt/claim.ts';
import { type OccurrenceKey, occurrenceId } from '../../lambdas/core/ids.ts';
import type { PendingOccurrence, RunningOccurrence } from '../../lambdas/core/occurrence/occurrence.ts';
import type { OccurrenceStore } from '../../lambdas/core/ports/occurrence-store.ts';
import type { Definition } from '../../lambdas/core/schedule/definition.ts';
import type { Revision } from '../../lambdas/core/schedule/revision.ts';
import type { GroupLimit } from '../../lambdas/core/slots/needs.ts';
import { type EpochMs, epochMs, HOUR, SECOND } from '../../lambdas/core/time.ts';
import { sweepSlots } from '../../lambdas/sweep/slots.ts';
import { at, definition, freshId, NOON } from './fixtures.ts';
import { keyOf, messageOf, seedSchedule } from './seed.ts';
import type { Stores } from './stores.ts';

/** What an occurrence needs of slots, as its revision and its group say. */
export interface Terms {
  readonly definition: Definition;
  readonly createdAt: EpochMs;
  readonly groupLimit?: GroupLimit;
}

let made = 0;

/** A shared key that nobody else names. */
export function sharing(limit: number, changes: Partial<Definition> = {}): Terms & { readonly slot: string } {
  made += 1;
  const concurrency = { key: `shared-${made}`, limit };
  const terms = { definition: definition({ overlap: 'allow', concurrency, ...changes }), createdAt: NOON };
  return { ...terms, slot: `key:${concurrency.key}` };
}

/** What a worker does up to its call, and at its end; without a queue. */
export function slotWorker(stores: Stores, occurrences: OccurrenceStore = stores.occurrences) {
  async function begin(
    key: OccurrenceKey,
    terms: Terms,
    now: EpochMs = NOON,
    holder = 'w',
  ): Promise<ClaimEnd> {
    const revision = { ...terms, id: key.schedule, revision: key.revision } as unknown as Revision;
    const deps = {
      occurrences,
      backfills: stores.backfills,
      groupLimitOf: async () => terms.groupLimit,
      leaseMs: HOUR,
      newSecret: () => '9f8e7d6c-5b4a-4321-8765-0123456789ab',
    };
    const { places, seq } = await messageOf(stores, occurrenceId(key), now);
    return claimWithOverlapPolicy(
      deps,
      { ...key, dispatchSeq: seq, ...(places && { places }) },
      revision,
      holder,
      now,
    );
  }

  return {
    begin,

    async start(key: OccurrenceKey, terms: Terms, now: EpochMs = NOON): Promise<RunningOccurrence> {
      const claim = await begin(key, terms, now, `w-${occurrenceId(key)}`);
      if (claim.kind !== 'claimed') throw new Error(`It is ${claim.kind}.`);
      return claim.occurrence;
    },

    succeed(running: RunningOccurrence, now: EpochMs = at(SECOND)) {
      const record = {
        attempt: running.attempt,
        startedAt: running.attemptStartedAt,
        finishedAt: now,
        outcome: 'succeeded' as const,
        detail: 'HTTP 200',
      };
      return occurrences.settle(running, { kind: 'succeeded', record }, now);
    },

    fail(running: RunningOccurrence, dueAt: EpochMs, now: EpochMs = at(SECOND)) {
      const record = {
        attempt: running.attempt,
        startedAt: running.attemptStartedAt,
        finishedAt: now,
        outcome: 'failed' as const,
      };
      return occurrences.settle(running, { kind: 'retry', record, dueAt }, now);
    },

    /** Occurrences of schedules of their own, due one after the other. */
    async jobs(count: number, terms: Terms): Promise<OccurrenceKey[]> {
      const keys: OccurrenceKey[] = [];
      while (keys.length < count) {
        const size = Math.min(80, count - keys.length);
        const times = Array.from({ length: size }, (_, i) => at((keys.length + i - count) * SECOND));
        const of = await seedSchedule(stores, times, {
          head: { id: freshId('a-group-with-a-name') },
          definition: terms.definition,
        });
        keys.push(...times.map((time) => keyOf(of, time)));
      }
      return keys;
    },

    /** A minute's look at one of the slots that somebody waits for. */
    async sweep({ slot }: { readonly slot: string }, now: EpochMs = NOON) {
      const waitedFor = async function* (shard: number) {
        if (shard === 0 && (await occurrences.slots.waiting(slot, 1)).length > 0) yield slot;
      };
      const ended: RunningOccurrence[] = [];
      const expireLease = async (running: RunningOccurrence) => {
        ended.push(running);
        const record = {
          attempt: running.attempt,
          startedAt: running.attemptStartedAt,
          finishedAt: now,
          outcome: 'lease-expired' as const,
        };
        await occurrences.expire(running, { kind: 'failed', record, reason: 'lease-expired' }, now);
      };
      const lost: PendingOccurrence[] = [];
      const result = await sweepSlots({
        occurrences: { ...occurrences, slots: { ...occurrences.slots, waitedFor } },
        expireLease,
        mayBeLost: (promised) => lost.push(promised),
        stopAt: epochMs(now + HOUR),
        now: () => now,
      });
      if (result.failures.length > 0) throw result.failures[0]?.error;
      // The queue holds nothing here.
      for (const one of lost) await occurrences.redispatch(one, now, 'overdue');
      return { ...result, ended };
    },

    async entries(slot: string) {
      const [first] = await stores.occurrences.slots.readStripes(slot, [0]);
      const all = Array.from({ length: first?.stripes ?? 0 }, (_, stripe) => stripe);
      const stripes = await stores.occurrences.slots.readStripes(slot, all);
      return new Map(stripes.flatMap(({ entries }) => [...entries]));
    },
  };
}
