import { isDone } from '../../core/planning/decisions.ts';
import type { Recurrence } from '../../core/recurrence/types.ts';
import type { ScheduleHead } from '../../core/schedule/head.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Occurrences } from '../deps.ts';

/** Times that are looked at in one read: nearly always the first is wanted. */
const ROUNDS = [1, 16, 256, 1_024];
const PAGE = 100;

/**
 * The first of these times that a person has not decided against, and the number of times before it, which `maxRuns`
 * counts all the same. Null where there is none among the times that are looked at.
 */
export async function nextWanted(
  occurrences: Pick<Occurrences, 'listOccurrences'>,
  head: Pick<ScheduleHead, 'id' | 'revision' | 'oldestRevision'>,
  recurrence: Pick<Recurrence, 'next'>,
  first: EpochMs | null,
): Promise<readonly EpochMs[] | null> {
  const passed: EpochMs[] = [];
  let next = first;
  for (const size of ROUNDS) {
    const times: EpochMs[] = [];
    while (next !== null && times.length < size) {
      times.push(next);
      next = recurrence.next(next)?.at ?? null;
    }
    const [from, to] = [times[0], times.at(-1)];
    if (from === undefined || to === undefined) return null;
    const unwanted = await decidedAgainst(occurrences, head, from, to);
    for (const at of times) {
      passed.push(at);
      if (!unwanted.has(at)) return passed;
    }
  }
  return null;
}

async function decidedAgainst(
  occurrences: Pick<Occurrences, 'listOccurrences'>,
  {
    id: schedule,
    revision,
    oldestRevision = revision,
  }: Pick<ScheduleHead, 'id' | 'revision' | 'oldestRevision'>,
  from: EpochMs,
  to: EpochMs,
): Promise<ReadonlySet<EpochMs>> {
  const query = { schedule, from, to, kind: 'scheduled', oldestFirst: true, limit: PAGE } as const;
  const done = new Set<EpochMs>();
  const open = new Set<EpochMs>();
  let cursor: string | undefined;
  do {
    const page = await occurrences.listOccurrences({ ...query, ...(cursor !== undefined && { cursor }) });
    for (const found of page.items) {
      if (found.status === 'pending') open.add(found.scheduledTime);
      else if (found.revision >= oldestRevision && isDone(found)) done.add(found.scheduledTime);
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return new Set([...done].filter((at) => !open.has(at)));
}
