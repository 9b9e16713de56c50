import type { RetryErrorInfo, RetryStrategyV2, RetryToken } from '@smithy/types';

/** As many attempts as `createDocumentClient` makes in production, without the pauses between them. */
const ATTEMPTS = 6;

/** The SDK's rule of what is tried again; which errors are of which type is still the SDK's to say. */
export const retryAtOnce: RetryStrategyV2 = {
  acquireInitialRetryToken: async () => token(0),
  async refreshRetryTokenForRetry(last: RetryToken, { errorType }: RetryErrorInfo) {
    const retries = last.getRetryCount() + 1;
    const retryable = errorType === 'THROTTLING' || errorType === 'TRANSIENT';
    if (!retryable || retries >= ATTEMPTS) throw new Error('Not to be tried again.');
    return token(retries);
  },
  recordSuccess() {},
};

const token = (retries: number): RetryToken => ({ getRetryCount: () => retries, getRetryDelay: () => 0 });
