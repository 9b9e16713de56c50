import type * as z from 'zod';
import type { Occurrence } from '../../core/occurrence/occurrence.ts';
import type { Page } from '../../core/ports/page.ts';
import { toIso } from '../../core/time.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import type { attentionQuery } from './verbs-schema.ts';

/** What ended without success on a day, across schedules; what was replayed since is not among it. */
export async function listAttention(
  { occurrences }: Pick<ApiDeps, 'occurrences'>,
  { day, status, limit, cursor }: z.output<typeof attentionQuery>,
  { now }: Caller,
): Promise<Page<Occurrence>> {
  return occurrences.listAttention({
    day: day ?? toIso(now).slice(0, 'yyyy-mm-dd'.length),
    limit,
    ...(status !== undefined && { status }),
    ...(cursor !== undefined && { cursor }),
  });
}
