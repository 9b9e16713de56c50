import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOccurrenceStore } from '../../../lambdas/adapters/dynamodb/index.ts';
import { type OccurrenceKey, occurrenceId } from '../../../lambdas/core/ids.ts';
import { applyLimit } from '../../../lambdas/core/slots/fill.ts';
import { settledStripes } from '../../../lambdas/core/slots/limit.ts';
import { type EpochMs, epochMs, HOUR, MINUTE } from '../../../lambdas/core/time.ts';
import { NOON } from '../../support/fixtures.ts';
import { sharing, slotWorker } from '../../support/slots.ts';
import { openStores, type Stores } from '../../support/stores.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.close());

const JOBS = 6;
/** What becomes of a write: its sender dies before or after it, or a copy comes at once, or when all else has changed. */
const fate = fc.oneof(
  { weight: 12, arbitrary: fc.constant('arrives') },
  { weight: 1, arbitrary: fc.constantFrom('dies-before', 'dies-after', 'comes-twice', 'comes-late') },
);
const act = fc.record({ what: fc.constantFrom('come', 'come', 'end', 'cancel'), job: fc.nat(JOBS - 1) });
const step = fc.record({
  acts: fc.array(act, { minLength: 1, maxLength: 3 }),
  limit: fc.option(fc.constantFrom(1, 2, 3, 12), { freq: 6 }),
});

/** Requests one at a time, in an order that is drawn, each with a fate that is drawn. */
function shaky(scheduler: fc.Scheduler, fates: readonly string[]) {
  const late: (() => Promise<unknown>)[] = [];
  let drawn = 0;
  const client = Object.create(stores.client);
  Object.defineProperty(client, 'send', {
    value: async (command: { constructor: { name: string } }) => {
      await scheduler.schedule(Promise.resolve());
      const send = () => stores.client.send(command as never);
      const isWrite = command.constructor.name === 'UpdateCommand';
      const becomes = isWrite ? fates[drawn++ % fates.length] : 'arrives';
      if (becomes === 'dies-before') throw new Error('died before');
      const answer = await send();
      if (becomes === 'dies-after') throw new Error('died after');
      if (becomes === 'comes-twice') await send().catch(() => undefined);
      if (becomes === 'comes-late') late.push(send);
      return answer;
    },
  });
  const occurrences = createOccurrenceStore({ ...stores.context, client });
  const arriveLate = async () => {
    for (const send of late.splice(0)) await send().catch(() => undefined);
  };
  return { occurrences, arriveLate };
}

it('keeps every limit and forgets nobody, in whatever order writes come, fail and come again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fate, { minLength: 40, maxLength: 80 }),
      fc.array(step, { minLength: 8, maxLength: 16 }),
      async (scheduler, fates, steps) => {
        let limit = 2;
        const terms = sharing(limit);
        const calm = slotWorker(stores);
        const keys = await calm.jobs(JOBS, terms);
        const { occurrences, arriveLate } = shaky(scheduler, fates);
        const agent = slotWorker(stores, occurrences);
        const seen = new Map<string, readonly [number, number]>();
        let before = 0;

        const look = async () => {
          const all = [...(await stores.occurrences.slots.readMany(keys.map(occurrenceId))).values()];
          const live = all.filter(({ status }) => status === 'running');
          expect(live.length).toBeLessThanOrEqual(Math.max(limit, before));
          before = live.length;
          const entries = await calm.entries(terms.slot);
          for (const one of live) expect(entries.get(occurrenceId(one))).toBe(one.dispatchSeq);
          for (const one of all) {
            const [seq, token] = seen.get(occurrenceId(one)) ?? [0, 0];
            expect(one.dispatchSeq).toBeGreaterThanOrEqual(seq);
            expect(one.fencingToken).toBeGreaterThanOrEqual(token);
            seen.set(occurrenceId(one), [one.dispatchSeq, one.fencingToken]);
          }
          return all;
        };
        const apply = async (what: string, key: OccurrenceKey, now: EpochMs, holder: string) => {
          const found = await stores.occurrences.readOccurrence(key);
          if (what === 'come') await agent.begin(key, terms, now, holder);
          else if (what === 'end' && found?.status === 'running') await agent.succeed(found, now);
          else if (what === 'cancel' && found?.status === 'pending')
            await occurrences.cancel(found, 'user', now);
        };

        for (const [index, { acts, limit: next }] of steps.entries()) {
          const now = epochMs(NOON + index * 1_000);
          if (next !== null) {
            limit = next;
            await applyLimit(stores.occurrences.slots, { slot: terms.slot, limit, since: now }, now);
          }
          const acting = acts.map(({ what, job }, n) =>
            apply(what, keys[job] as OccurrenceKey, now, `w${index}-${n}`),
          );
          await scheduler.waitFor(Promise.allSettled(acting));
          await look();
          await arriveLate();
          await look();
        }

        // All agents are dead: what is to be done is read off the items.
        let now = epochMs(NOON + 2 * HOUR);
        for (let round = 0; round < 40; round += 1) {
          for (let pass = 0; pass < 2; pass += 1) {
            now = epochMs(now + MINUTE);
            await calm.sweep(terms, now);
          }
          if ((await stores.occurrences.slots.waiting(terms.slot, 1)).length > 0) {
            const stripes = await settledStripes(stores.occurrences.slots, terms.slot);
            expect(stripes.flatMap(({ entries }) => [...entries]).length).toBeGreaterThanOrEqual(limit);
          }
          const all = await look();
          if (all.every(({ status }) => status !== 'pending' && status !== 'running')) return;
          for (const one of all) {
            if (one.status === 'running') await calm.succeed(one, now);
            else if (one.status === 'pending' && one.waitingFor === undefined)
              await calm.begin(one, terms, now);
          }
        }
        throw new Error('Somebody still waits.');
      },
    ),
    { numRuns: 15, seed: 20_261_201, endOnFailure: true },
  );
}, 120_000);
