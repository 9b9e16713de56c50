import type { ServiceInputTypes, ServiceOutputTypes } from '@aws-sdk/client-dynamodb';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { DeserializeMiddleware, Pluggable } from '@smithy/types';
import { CONFLICT } from '../aws/retry-strategy.ts';

/** Cancellation reasons that say "not now" rather than "no". */
const TRANSIENT = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'ItemCollectionSizeLimitExceeded',
]);

const CONFLICTS = new Set(['TransactionConflictException', 'TransactionInProgressException']);

/** Whether a cancelled transaction may succeed unchanged: something was transient and no condition failed. */
export function isTransientCancellation(error: unknown): boolean {
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = (error.CancellationReasons ?? []).map((reason) => reason.Code ?? 'None');
  return (
    codes.some((code) => TRANSIENT.has(code)) && codes.every((code) => code === 'None' || TRANSIENT.has(code))
  );
}

/** Whether all that was in the way is a transaction of somebody else. */
function isConflict(error: unknown): boolean {
  if (!isTransientCancellation(error)) return CONFLICTS.has((error as Error).name);
  const { CancellationReasons: reasons = [] } = error as TransactionCanceledException;
  return reasons.every(({ Code = 'None' }) => Code === 'None' || Code === 'TransactionConflict');
}

/**
 * The SDK retries throttling of single calls but not transactions that were cancelled by it, nor single writes
 * that met a transaction under way: a settle refused for that would have the target called once more. This marks
 * such errors as retryable, and conflicts apart from throttling, since they are over much sooner.
 */
const mark: DeserializeMiddleware<ServiceInputTypes, ServiceOutputTypes> = (next) => async (args) => {
  try {
    return await next(args);
  } catch (error) {
    if (isConflict(error)) Object.assign(error as object, { $retryable: {}, [CONFLICT]: true });
    else if (isTransientCancellation(error))
      Object.assign(error as object, { $retryable: { throttling: true } });
    throw error;
  }
};

export const markRetryable: Pluggable<ServiceInputTypes, ServiceOutputTypes> = {
  applyToStack: (stack) => {
    stack.add(mark, { step: 'deserialize', priority: 'high', name: 'markTransientCancellations' });
  },
};
