import type { ServiceInputTypes, ServiceOutputTypes } from '@aws-sdk/client-dynamodb';
import type { InitializeMiddleware, Pluggable } from '@smithy/types';
import { PunctualError } from '../../core/errors.ts';
import { isTransientCancellation } from './retryable.ts';

/** Names under which DynamoDB says "not now" (AWS: DynamoDB error handling), and a connection that is not one. */
const UNAVAILABLE = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionConflictException',
  'TransactionInProgressException',
  'InternalServerError',
  'ServiceUnavailable',
  'TimeoutError',
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
]);

/** Whether the same call may go through later: contention, throttling, or nobody there. */
export function isStoreUnavailable(error: unknown): boolean {
  const { name, code } = error as { readonly name?: string; readonly code?: unknown };
  if (isTransientCancellation(error)) return true;
  return UNAVAILABLE.has(name ?? '') || (typeof code === 'string' && UNAVAILABLE.has(code));
}

/**
 * What is left of such faults when the SDK's retries are used up becomes an error of ours, so that nothing
 * outside the adapters knows the SDK's. Failed conditions pass: they are answers.
 */
const translate: InitializeMiddleware<ServiceInputTypes, ServiceOutputTypes> = (next) => async (args) => {
  try {
    return await next(args);
  } catch (cause) {
    if (!isStoreUnavailable(cause)) throw cause;
    throw new PunctualError('store.unavailable', 'The store is busy or not to be reached; try again.', {
      cause,
    });
  }
};

export const translateFaults: Pluggable<ServiceInputTypes, ServiceOutputTypes> = {
  applyToStack: (stack) => {
    stack.add(translate, { step: 'initialize', priority: 'high', name: 'translateFaults' });
  },
};
