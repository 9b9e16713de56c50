import type { CancelReason } from '../../core/occurrence/occurrence.ts';
import type { ScheduleHead } from '../../core/schedule/head.ts';
import type { EpochMs } from '../../core/time.ts';

/** A piece of a DynamoDB expression with what it refers to. Placeholders are named after what they mean. */
export interface Expression {
  readonly text: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
}

export function expression(
  text: string,
  names: readonly string[] = [],
  values: Readonly<Record<string, unknown>> = {},
): Expression {
  return { text, names: Object.fromEntries(names.map((name) => [`#${name}`, name])), values };
}

function join(operator: 'AND' | 'OR', parts: readonly Expression[]): Expression {
  return {
    text: parts.map((part) => `(${part.text})`).join(` ${operator} `),
    names: Object.assign({}, ...parts.map((part) => part.names)),
    values: Object.assign({}, ...parts.map((part) => part.values)),
  };
}

export const and = (...parts: readonly Expression[]): Expression => join('AND', parts);
export const or = (...parts: readonly Expression[]): Expression => join('OR', parts);

export function conditioned(condition: Expression) {
  return { ConditionExpression: condition.text, ...placeholders(condition) };
}

/** Names and values as a request wants them; an empty map is refused by DynamoDB. */
export function placeholders(...parts: readonly Expression[]) {
  const names = Object.assign({}, ...parts.map((part) => part.names));
  const values = Object.assign({}, ...parts.map((part) => part.values));
  return {
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

// ---- named conditions ------------------------------------------------------------------------------------

export const isAbsent = expression('attribute_not_exists(pk)');

const nextDueIs = (at: EpochMs | null): Expression =>
  at === null
    ? expression('attribute_not_exists(next_due_at)')
    : expression('next_due_at = :expected_next_due_at', [], { ':expected_next_due_at': at });

export const versionIs = (version: number): Expression =>
  expression('#version = :expected_version', ['version'], { ':expected_version': version });

/** Neither an API call (version) nor a tick (next_due_at) came between, nor has its group begun to count it. */
export const headUnchanged = ({
  version,
  nextDueAt,
  counted,
}: Pick<ScheduleHead, 'version' | 'nextDueAt' | 'counted'>): Expression =>
  and(
    versionIs(version),
    nextDueIs(nextDueAt),
    counted
      ? expression('counted.epoch = :expected_epoch', [], { ':expected_epoch': counted.epoch })
      : expression('attribute_not_exists(counted)'),
  );

/**
 * Still the schedule that was planned: same state, same definition, nothing materialised since. A pause may have ended
 * and begun again with the same end, so of a paused one it is to be the same pause.
 */
export const plannable = (head: PlannedHead): Expression =>
  and(
    expression('#state = :planned_state AND revision = :planned_revision', ['state'], {
      ':planned_state': head.state,
      ':planned_revision': head.revision,
    }),
    nextDueIs(head.nextDueAt),
    ...(head.state === 'paused' ? [versionIs(head.version)] : []),
    ...(head.remainingRuns === undefined
      ? []
      : [expression('remaining_runs = :planned_runs', [], { ':planned_runs': head.remainingRuns })]),
  );

type PlannedHead = Pick<ScheduleHead, 'state' | 'revision' | 'version' | 'nextDueAt' | 'remainingRuns'>;

export const isLiveSchedule = expression('attribute_exists(pk) AND #state <> :deleted', ['state'], {
  ':deleted': 'deleted',
});

/** Lives, and nobody has edited it since it was read. */
export const isAtRevision = (revision: number): Expression =>
  and(isLiveSchedule, expression('revision = :seen_revision', [], { ':seen_revision': revision }));

export const isPending = expression('#status = :pending', ['status'], { ':pending': 'pending' });
export const isRunning = expression('#status = :running', ['status'], { ':running': 'running' });

export const isDueBy = (now: EpochMs): Expression => expression('due_at <= :now', [], { ':now': now });

export const withinStartDeadline = (now: EpochMs): Expression =>
  expression('attribute_not_exists(start_by) OR start_by >= :now', [], { ':now': now });

export const pastStartDeadline = (now: EpochMs): Expression =>
  expression('start_by < :now', [], { ':now': now });

/** The attempt that was claimed under this token is the current one (docs/guarantees.md, 4). */
export const holdsFencingToken = (token: number): Expression =>
  expression('fencing_token = :token', [], { ':token': token });

export const leaseStillEndsAt = (at: EpochMs): Expression =>
  expression('lease_expires_at = :lease_end', [], { ':lease_end': at });

/** Its holder may still be at work: what has expired is ended, not renewed. */
export const leaseStandsAt = (now: EpochMs): Expression =>
  expression('lease_expires_at >= :now', [], { ':now': now });

export const leaseEndsBefore = (at: EpochMs): Expression =>
  expression('lease_expires_at < :lease_end', [], { ':lease_end': at });

export const dispatchSeqIs = (seq: number): Expression =>
  expression('dispatch_seq = :seen_seq', [], { ':seen_seq': seq });

/** Not handed over again since it was read. */
export const sendsAre = (sends: number): Expression =>
  sends === 0
    ? expression('attribute_not_exists(sends)')
    : expression('sends = :seen_sends', [], { ':seen_sends': sends });

/** Cancelled before any attempt: by a pause, so that a resume may make it again under the same key. */
export const cancelledUnstarted = (reason: CancelReason): Expression =>
  expression('#status = :cancelled AND reason = :cancel_reason AND attempt = :zero', ['status'], {
    ':cancelled': 'cancelled',
    ':cancel_reason': reason,
    ':zero': 0,
  });

/** The next tick of nobody, of a scanner that died, or of the same scanner. */
export const shardIsFree = (holder: string, now: EpochMs): Expression =>
  expression('attribute_not_exists(holder) OR lease_expires_at < :now OR holder = :holder', [], {
    ':now': now,
    ':holder': holder,
  });

const calendarIsAt = (version: number): Expression =>
  expression('#version = :version', ['version'], { ':version': version });

/** The calendar is there and nobody has edited it since this version. */
export const isCurrent = (version: number): Expression =>
  and(calendarIsAt(version), expression('attribute_not_exists(deleted)'));

export const isDeletedAt = (version: number): Expression =>
  and(calendarIsAt(version), expression('attribute_exists(deleted)'));
