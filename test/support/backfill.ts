import type { BackfillView } from '../../lambdas/api/backfills/backfill-schema.ts';
import { type OccurrenceId, occurrenceId, type ScheduleId } from '../../lambdas/core/ids.ts';
import type { Occurrence } from '../../lambdas/core/occurrence/occurrence.ts';
import type { CallResult, Invocation } from '../../lambdas/core/ports/target-caller.ts';
import { HOUR, SECOND } from '../../lambdas/core/time.ts';
import { type BackfillTickDeps, tickBackfills } from '../../lambdas/tick/backfills.ts';
import { type WorkEnd, work } from '../../lambdas/worker/work.ts';
import { created, openApi, type Reply } from '../functions/api/api.ts';
import { at } from './fixtures.ts';
import type { Stores } from './stores.ts';
import { testWorker } from './worker.ts';

export const ok: CallResult = { kind: 'succeeded' };

type Answer = (call: Invocation) => Promise<CallResult> | CallResult;

/**
 * A schedule with its API, its tick and as many workers as there are messages, over real stores. What the relay
 * would send is found by looking for pending occurrences whose sequence number was not sent yet.
 */
export async function backfillBench(stores: Stores, changes: Record<string, unknown> = {}) {
  const api = await openApi(stores);
  const made = await created(api, { expression: '*/5 * * * *', ...changes });
  const { id, path } = made;
  let answer: Answer = () => ok;
  let active = 0;
  let most = 0;
  let watchers: { readonly count: number; readonly notify: () => void }[] = [];
  const worker = testWorker(
    stores,
    async (call) => {
      active += 1;
      most = Math.max(most, active);
      for (const { notify } of watchers.filter(({ count }) => count <= worker.calls.length)) notify();
      watchers = watchers.filter(({ count }) => count > worker.calls.length);
      try {
        return await answer(call);
      } finally {
        active -= 1;
      }
    },
    api.clock,
  );
  const sent = new Map<OccurrenceId, string>();
  // One that was held and is made again begins its numbers anew.
  const numberOf = ({ createdAt, dispatchSeq }: Occurrence) => `${createdAt}#${dispatchSeq}`;
  const occurrences = () => all(stores, id);

  async function unsent() {
    return (await occurrences())
      .filter((one) => one.status === 'pending' && one.waitingFor === undefined)
      .filter((one) => sent.get(occurrenceId(one)) !== numberOf(one))
      .toSorted((a, b) => a.dueAt - b.dueAt);
  }

  return {
    api,
    id,
    path,
    clock: api.clock,
    calls: worker.calls,
    /** Resolves once the target was called so often. */
    called: (count: number): Promise<void> =>
      worker.calls.length >= count
        ? Promise.resolve()
        : new Promise((notify) => watchers.push({ count, notify })),
    mostAtOnce: () => most,
    occurrences,
    own: async (backfill: string) => (await occurrences()).filter(({ token }) => token === backfill),
    answerWith(next: Answer) {
      answer = next;
    },
    /** POST …/backfills over the last `hours`, up to now. */
    async start(body: Record<string, unknown> = {}): Promise<BackfillView> {
      const reply = await api.post(`${path}/backfills`, { from: iso(-2 * HOUR), to: iso(0), ...body });
      if (reply.status !== 201) throw new Error(`Not made: ${JSON.stringify(reply.body)}`);
      return reply.body;
    },
    get: async (backfill: string): Promise<BackfillView> =>
      (await api.get(`${path}/backfills/${backfill}`)).body,
    verb: (backfill: string, verb: string): Promise<Reply> =>
      api.post(`${path}/backfills/${backfill}/${verb}`),
    tick: (changes: Partial<BackfillTickDeps> = {}) => {
      api.clock.advance(60 * SECOND);
      return tickBackfills(tickDeps(stores, api.clock.now, changes), SHARDS);
    },
    unsent,
    /** Hands over what is pending, also what that wakes, until nothing is left to hand over. */
    async work(
      only: (occurrence: Occurrence) => boolean = () => true,
      { inTurn = false } = {},
    ): Promise<WorkEnd[]> {
      const ends: WorkEnd[] = [];
      for (;;) {
        const due = (await unsent()).filter(only);
        if (due.length === 0) return ends;
        api.clock.advance(SECOND);
        const handOver = (one: Occurrence) => {
          const { dispatchSeq: seq, dueAt, places } = one;
          const message = { id: occurrenceId(one), seq, dueAt, places };
          sent.set(message.id, numberOf(one));
          return work(worker.deps, message, `w-${message.id}-${message.seq}`);
        };
        if (inTurn) for (const one of due) ends.push(await handOver(one));
        else ends.push(...(await Promise.all(due.map(handOver))));
      }
    },
  };
}

export const SHARDS = [0, 1, 2, 3];

export function tickDeps(
  stores: Stores,
  now: BackfillTickDeps['now'],
  changes: Partial<BackfillTickDeps> = {},
): BackfillTickDeps {
  return {
    backfills: stores.backfills,
    occurrences: stores.occurrences,
    now,
    stopAt: at(1_000 * HOUR),
    ...changes,
  };
}

export function iso(offsetMs: number): string {
  return new Date(at(offsetMs)).toISOString();
}

/** The whole ledger of a schedule, oldest first. */
export async function all(stores: Stores, schedule: ScheduleId): Promise<Occurrence[]> {
  const items: Occurrence[] = [];
  let cursor: string | undefined;
  do {
    const page = await stores.occurrences.listOccurrences({
      schedule,
      limit: 100,
      ...(cursor !== undefined && { cursor }),
    });
    items.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return items.reverse();
}

/** A promise and what resolves it. */
export function gate() {
  return Promise.withResolvers<CallResult>();
}
