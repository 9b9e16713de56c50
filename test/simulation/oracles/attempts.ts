import { type OccurrenceId, parseOccurrenceId } from '../../../lambdas/core/ids.ts';
import { whyNotInForce } from '../../../lambdas/core/occurrence/in-force.ts';
import { SECOND } from '../../../lambdas/core/time.ts';
import type { Item } from '../world/observer.ts';
import type { TargetCall } from '../world/target.ts';
import { replaysOf } from './audit.ts';
import type { History, Returned, ReturnedBackfill } from './history.ts';

/** When each attempt was claimed (`attemptMark` → order). */
type Claims = ReadonlyMap<string, number>;

export const attemptMark = (id: OccurrenceId, fencingToken: number): string => `${id}#${fencingToken}`;

/** Invariants 3, 4 and 5 from what reached the target. */
export function attemptFaults(calls: readonly TargetCall[], history: History, claims: Claims): string[] {
  return [
    ...tokenFaults(calls),
    ...calls.flatMap((call) => [
      ...leaseFaults(call),
      ...incarnationFaults(call, history.returned.get(call.invocation.schedule) ?? [], claims),
      ...changeFaults(call, history.returned.get(call.invocation.schedule) ?? [], claims),
      ...backfillFaults(call, history.returnedBackfills, claims),
    ]),
  ];
}

/** What a target may rely on: of the calls with one key, a later one carries a larger token. */
function tokenFaults(calls: readonly TargetCall[]): string[] {
  const last = new Map<string, number>();
  return calls.flatMap(({ invocation: { id, idempotencyKey, fencingToken } }) => {
    const before = last.get(idempotencyKey) ?? 0;
    last.set(idempotencyKey, Math.max(before, fencingToken));
    return fencingToken > before ? [] : [`${id} was called with token ${fencingToken} after ${before}`];
  });
}

function leaseFaults({ at, invocation: { id, fencingToken }, item }: TargetCall): string[] {
  const faults: string[] = [];
  const wrong = (bad: boolean, what: string) => {
    if (bad) faults.push(`${id} was called ${what}`);
  };
  wrong(item?.status !== 'running' || item.fencing_token !== fencingToken, 'without holding its lease');
  wrong(at < (item?.due_at as number), `${(item?.due_at as number) - at} ms before it was due`);
  wrong(at > (item?.lease_expires_at as number), 'under an expired lease');
  return faults;
}

/** An attempt that was claimed before a change was answered ran already, and may go on. */
function changeFaults(
  { order, invocation, item }: TargetCall,
  returned: readonly Returned[],
  claims: Claims,
): string[] {
  const { id, fencingToken } = invocation;
  const change = returned.findLast((one) => one.order < order);
  const claimed = claims.get(attemptMark(id, fencingToken)) ?? 0;
  if (!change || claimed < change.order) return [];
  // Of a later change, which took effect and was not answered yet.
  if (invocation.revision > change.head.revision) return [];
  const why = whyNotInForce({ ...invocation, replays: replaysOf(item ?? {}) }, change.head);
  return why === null ? [] : [`${id} was called after the change that made it ${why} had returned`];
}

/** How far clocks may be apart that wrote when things came to be. */
const CLOCKS_APART = 10 * SECOND;

/** What was created before its schedule was deleted does not start after that, whoever has the name by then. */
function incarnationFaults(
  { order, invocation: { id, fencingToken }, item }: TargetCall,
  returned: readonly Returned[],
  claims: Claims,
): string[] {
  const claimed = claims.get(attemptMark(id, fencingToken)) ?? order;
  const deleted = returned.findLast((one) => one.head.state === 'deleted' && one.order < claimed);
  if (!deleted || (item?.created_at as number) >= deleted.head.updatedAt - CLOCKS_APART) return [];
  return [`${id} was called after the schedule that it came from was deleted`];
}

/** The same for changes of the backfill that it belongs to. A pause holds only what has not begun. */
function backfillFaults(
  { order, invocation }: TargetCall,
  returned: readonly ReturnedBackfill[],
  claims: Claims,
): string[] {
  const { id, fencingToken, attempt } = invocation;
  const token = parseOccurrenceId(id)?.token;
  const change = returned.findLast((one) => one.backfill.id === token && one.order < order);
  const claimed = claims.get(attemptMark(id, fencingToken)) ?? 0;
  if (!change || claimed < change.order) return [];
  const { state } = change.backfill;
  const isHeld = state === 'cancelled' || (state === 'paused' && attempt === 1);
  return isHeld ? [`${id} was called after its backfill was ${state}`] : [];
}

/** What a finished occurrence says of its attempts against what reached the target. */
export function outcomeFaults(
  item: Item,
  calls: readonly TargetCall[],
  maxAttempts: { readonly least: number; readonly most: number },
): string[] {
  const name = `${item.pk} ${item.sk}`;
  const attempt = item.attempt as number;
  // Each replay is a round of attempts of its own.
  const inRound = attempt - ((item.round_base as number | undefined) ?? 0);
  const faults: string[] = [];
  const wrong = (bad: boolean, what: string) => {
    if (bad) faults.push(`${name} ${what}`);
  };
  wrong(inRound > maxAttempts.most, `had ${inRound} attempts of ${maxAttempts.most}`);
  wrong(calls.length > Math.max(attempt, 0), `was called ${calls.length} times in ${attempt} attempts`);
  const succeeded = calls.some(({ answer }) => answer === 'succeeded');
  wrong(item.status === 'succeeded' && !succeeded, 'succeeded without its target having said so');
  wrong(
    item.status === 'failed' && item.reason === 'attempts-exhausted' && inRound < maxAttempts.least,
    `gave up after ${inRound} of ${maxAttempts.least} attempts`,
  );
  return faults;
}
