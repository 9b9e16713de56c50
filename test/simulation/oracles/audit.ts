import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import {
  type AttemptRecord,
  isTerminal,
  type OccurrenceStatus,
} from '../../../lambdas/core/occurrence/occurrence.ts';
import type { Item } from '../world/observer.ts';

/**
 * Whether every change that an occurrence ever went through was a legal one. The stream holds all of them in
 * order, with the item before and after: what passed in between two looks at the table is in it too.
 */
export function illegalMoves(
  records: readonly DynamoDBRecord[],
  /** What TTL has removed, by its keys: that is no move. */
  expired: ReadonlySet<string> = new Set(),
): string[] {
  return records.flatMap((record) => {
    const { Keys, OldImage, NewImage } = record.dynamodb ?? {};
    if (!Keys?.sk?.S?.startsWith('O#')) return [];
    const before = OldImage && unmarshall(OldImage as Record<string, AttributeValue>);
    const after = NewImage && unmarshall(NewImage as Record<string, AttributeValue>);
    if (!after && expired.has(`${Keys.pk?.S} ${Keys.sk?.S}`)) return [];
    const wrong = after ? (before ? changeFaults(before, after) : birthFaults(after)) : ['was removed'];
    return wrong.map((what) => `${Keys.pk?.S} ${Keys.sk?.S} ${what}`);
  });
}

const statusOf = (item: Item) => item.status as OccurrenceStatus;
const num = (item: Item, name: string) => item[name] as number;

function birthFaults(born: Item): string[] {
  const faults: string[] = [];
  const isSkip = born.status === 'skipped' && born.reason === 'user';
  if (!isSkip && !['pending', 'coalesced'].includes(statusOf(born))) faults.push(`was born ${born.status}`);
  if (born.attempt !== 0 || born.fencing_token !== 0) faults.push('was born with an attempt behind it');
  return faults;
}

function changeFaults(before: Item, after: Item): string[] {
  const move = `${before.status} → ${after.status}`;
  const faults: string[] = [];
  const wrong = (bad: boolean, what: string) => {
    if (bad) faults.push(`${what} (${move})`);
  };
  const revived = isTerminal(statusOf(before)) && after.status === 'pending';
  const claimed = before.status === 'pending' && after.status === 'running';
  wrong(isTerminal(statusOf(before)) && !isRevival(before, after) && changed(before, after), 'was terminal');

  const tokens = num(after, 'fencing_token') - num(before, 'fencing_token');
  wrong(tokens !== (claimed ? 1 : 0), `went from fencing token ${before.fencing_token} by ${tokens}`);
  wrong(claimed && num(after, 'attempt') !== num(before, 'attempt') + 1, 'did not count its attempt');
  wrong(
    claimed && num(before, 'due_at') > num(after, 'attempt_started_at'),
    `started ${num(before, 'due_at') - num(after, 'attempt_started_at')} ms before it was due`,
  );
  wrong(
    after.status === 'pending' && before.status === 'running' && bump(before, after) < 1,
    'came back without being handed over again',
  );
  wrong(revived && bump(before, after) < 1, 'was revived without being handed over');
  wrong(
    after.status === 'pending' &&
      before.status === 'pending' &&
      num(before, 'due_at') !== num(after, 'due_at') &&
      bump(before, after) < 1,
    'moved without being handed over again',
  );
  wrong(
    before.status === 'running' && after.status === 'running' && before.holder !== after.holder,
    `passed from ${before.holder} to ${after.holder} while its lease stood`,
  );
  wrong(
    before.status === 'pending' && ['succeeded', 'failed'].includes(statusOf(after)) && !isTooOld(after),
    'ended without having been claimed',
  );
  wrong(endedByOther(before, after), 'was taken from its holder before the lease had expired');
  wrong(endedByOlder(before, after), 'was ended by the worker of an attempt before');
  wrong(isTerminal(statusOf(after)) && after.open_shard !== undefined, 'is terminal and still in `open`');
  return faults;
}

/** A retry that comes to its turn too late is not tried any more. */
const isTooOld = ({ status, reason }: Item) => status === 'failed' && reason === 'max-age';

/** What ends an attempt is the record of that attempt, not that of one whose worker is late. */
function endedByOlder(before: Item, after: Item): boolean {
  if (before.status !== 'running' || after.status === 'running') return false;
  const [was, is] = [before, after].map((item) => (item.attempts as AttemptRecord[] | undefined)?.at(-1));
  return is !== undefined && is.finishedAt !== was?.finishedAt && is.attempt !== before.attempt;
}

const bump = (before: Item, after: Item) => num(after, 'dispatch_seq') - num(before, 'dispatch_seq');

/**
 * What takes a finished one back: a resume, or a person's decision about its time, what a pause
 * had cancelled untried; the undoing of a skip; a replay. That somebody asked for a replay is seen at rest.
 */
function isRevival(before: Item, after: Item): boolean {
  const untried = before.attempt === 0;
  if (before.status === 'cancelled' && before.reason === 'paused' && replaysOf(after) === replaysOf(before))
    return after.status === 'pending' || (untried && after.status !== 'cancelled');
  if (after.status !== 'pending') return false;
  if (replaysOf(after) === replaysOf(before))
    return untried && before.status === 'skipped' && before.reason === 'user';
  const isNextRound = replaysOf(after) === replaysOf(before) + 1 && after.round_base === before.attempt;
  return isNextRound && before.status !== 'coalesced';
}

export const replaysOf = ({ replays }: Item) => (replays as number | undefined) ?? 0;

function changed(before: Item, after: Item): boolean {
  return JSON.stringify(before) !== JSON.stringify(after);
}

function endedByOther(before: Item, after: Item): boolean {
  if (before.status !== 'running' || after.status === 'running') return false;
  const [was, is] = [before, after].map((item) => (item.attempts as AttemptRecord[] | undefined)?.at(-1));
  // Without a record of its own it was given up by its worker before the call.
  if (is === undefined || is.attempt === was?.attempt || is.outcome !== 'lease-expired') return false;
  return is.finishedAt <= num(before, 'lease_expires_at');
}
