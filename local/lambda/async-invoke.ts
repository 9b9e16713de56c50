import type { LocalFunction } from './function.ts';

/**
 * An invocation that nobody waits for. Tried once, as the stack has it for tick and sweep: the next round
 * does whatever a failed one left.
 */
export function invokeAsynchronously(
  target: Pick<LocalFunction, 'name' | 'invoke'>,
  event: unknown,
  onError: (message: string) => void,
): void {
  target.invoke(event).catch((error: unknown) => {
    onError(`${target.name} failed: ${error instanceof Error ? error.message : String(error)}`);
  });
}
