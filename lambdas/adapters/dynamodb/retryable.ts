import type { ServiceInputTypes, ServiceOutputTypes } from '@aws-sdk/client-dynamodb';
import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import type { DeserializeMiddleware, Pluggable } from '@smithy/types';

/** Cancellation reasons that say "not now" rather than "no". */
const TRANSIENT = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'ItemCollectionSizeLimitExceeded',
]);

/** Whether a cancelled transaction may succeed unchanged: something was transient and no condition failed. */
export function isTransientCancellation(error: unknown): boolean {
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = (error.CancellationReasons ?? []).map((reason) => reason.Code ?? 'None');
  return (
    codes.some((code) => TRANSIENT.has(code)) && codes.every((code) => code === 'None' || TRANSIENT.has(code))
  );
}

/**
 * The SDK retries throttling of single calls but not transactions that were cancelled by it, nor single writes
 * that met a transaction under way: a settle refused for that would have the target called once more. This marks
 * such errors as retryable, so that the SDK's own backoff and retry budget apply to them too.
 */
const mark: DeserializeMiddleware<ServiceInputTypes, ServiceOutputTypes> = (next) => async (args) => {
  try {
    return await next(args);
  } catch (error) {
    if (isTransientCancellation(error)) Object.assign(error as object, { $retryable: { throttling: true } });
    if (error instanceof TransactionConflictException) Object.assign(error, { $retryable: {} });
    throw error;
  }
};

export const markRetryable: Pluggable<ServiceInputTypes, ServiceOutputTypes> = {
  applyToStack: (stack) => {
    stack.add(mark, { step: 'deserialize', priority: 'high', name: 'markTransientCancellations' });
  },
};
