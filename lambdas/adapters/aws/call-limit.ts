import type { DeserializeMiddleware, Pluggable } from '@smithy/types';
import { timeLeft } from './deadline.ts';

/**
 * Ends each try of a call that has not been answered, to the end of the body, within `within` or the time that the
 * invocation has left. The SDK's own time-outs know the beginning of an answer and silence, not one that trickles.
 */
export function limitCalls(within: number, now: () => number): Pluggable<object, object> {
  const limit: DeserializeMiddleware<object, object> = (next) => (args) =>
    endWithin(Math.min(within, timeLeft(now())), () => next(args));
  return {
    applyToStack: (stack) => {
      stack.add(limit, { step: 'deserialize', priority: 'high', name: 'limitCalls' });
    },
  };
}

async function endWithin<T>(within: number, run: () => Promise<T>): Promise<T> {
  const error = () => Object.assign(new Error(`No answer within ${within} ms.`), { name: 'TimeoutError' });
  if (within <= 0) throw error();
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(error()), within);
  });
  try {
    return await Promise.race([run(), ended]);
  } finally {
    clearTimeout(timer);
  }
}
