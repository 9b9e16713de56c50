import type * as z from 'zod';
import { heartbeatTimeoutMs } from '../../core/attempt/completion.ts';
import { epochMs, toIso } from '../../core/time.ts';
import type { ApiDeps, Caller } from '../deps.ts';
import { readByToken, staleToken } from './callback-attempt.ts';
import type { heartbeatView } from './pull-schema.ts';

/** Says that an attempt goes on, and learns whether it should. */
export async function heartbeat(
  deps: Pick<ApiDeps, 'occurrences' | 'schedules'>,
  id: string,
  completionToken: string,
  { now }: Caller,
): Promise<z.output<typeof heartbeatView>> {
  const found = await readByToken(deps, id, completionToken);
  if (found.status !== 'running') throw staleToken();
  const revision = await deps.schedules.readRevision(found.schedule, found.revision);
  if (!revision) throw new Error(`${found.schedule} has no revision ${found.revision}.`);
  const leaseExpiresAt = epochMs(now + heartbeatTimeoutMs(revision.definition));
  const renewed = await deps.occurrences.renew(found, leaseExpiresAt, now);
  if (renewed.kind === 'lost-lease') throw staleToken();
  return {
    leaseExpiresAt: toIso(leaseExpiresAt),
    cancelRequested: renewed.kind === 'cancel-requested',
  };
}
