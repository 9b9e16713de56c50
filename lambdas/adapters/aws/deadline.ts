import { AsyncLocalStorage } from 'node:async_hooks';

const deadlines = new AsyncLocalStorage<number>();

/**
 * Runs one invocation of a function, whose calls of AWS are to be over by `at`. Its calls find this by themselves:
 * handed down as an argument, it would go through every use case for the sake of its clients alone.
 */
export function withDeadline<T>(at: number, run: () => T): T {
  return deadlines.run(at, run);
}

/** Milliseconds that the invocation has left for its calls; without end outside of one. */
export function timeLeft(now: number): number {
  return (deadlines.getStore() ?? Number.POSITIVE_INFINITY) - now;
}
