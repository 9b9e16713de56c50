import type { CallResult } from '../../core/ports/target-caller.ts';
import { messageOf } from './payload.ts';

/**
 * Turns one SDK call into the result of an attempt: an error whose name is in `permanent` meets the same
 * request again and is not retried; an abort is told by its reason.
 */
export async function awsCall(
  permanent: ReadonlySet<string>,
  signal: AbortSignal,
  send: () => Promise<CallResult>,
): Promise<CallResult> {
  try {
    return await send();
  } catch (error) {
    const cause = signal.aborted && signal.reason instanceof Error ? signal.reason : error;
    return { kind: 'failed', retryable: !permanent.has((error as Error).name), detail: messageOf(cause) };
  }
}
