/** Names under which the table says "not now" (AWS: DynamoDB error handling), and a connection that is not one. */
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

/** Told by its name: nothing but the adapters knows the SDK's classes. */
export function isStoreUnavailable(error: Error): boolean {
  const code = (error as { readonly code?: unknown }).code;
  // Marked by the adapter: a transaction that was cancelled by contention and by nothing else.
  const retryable = (error as { readonly $retryable?: unknown }).$retryable !== undefined;
  return retryable || UNAVAILABLE.has(error.name) || (typeof code === 'string' && UNAVAILABLE.has(code));
}
