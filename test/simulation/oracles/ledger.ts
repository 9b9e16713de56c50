import { schedulePk } from '../../../lambdas/adapters/dynamodb/keys.ts';
import { revisionOf } from '../../../lambdas/adapters/dynamodb/schedules/head-items.ts';
import type { ScheduleId } from '../../../lambdas/core/ids.ts';
import type { Revision } from '../../../lambdas/core/schedule/revision.ts';
import type { Item } from '../world/observer.ts';
import type { World } from '../world/world.ts';

/** All that was ever written about a schedule's times: what TTL has removed says what it said. */
export interface Ledger {
  readonly items: readonly Item[];
  readonly revisions: readonly Revision[];
}

export async function ledgersOf({ history, observer, ttl }: World): Promise<ReadonlyMap<ScheduleId, Ledger>> {
  const removed = Map.groupBy(ttl.removed, ({ pk }) => pk);
  const ledgers = history.schedules.map(async (id) => {
    const gone = removed.get(schedulePk(id)) ?? [];
    const under = (prefix: string) => gone.filter(({ sk }) => String(sk).startsWith(prefix));
    const [items, revisions] = await Promise.all([observer.occurrences(id), observer.revisions(id)]);
    return [
      id,
      {
        items: [...under('O#'), ...items],
        revisions: [...under('R#').map((item) => revisionOf(item)), ...revisions],
      },
    ] as const;
  });
  return new Map(await Promise.all(ledgers));
}
