import type { Target } from './index.ts';

/** The queue that outside workers claim from; absent where the worker calls the target. */
export function pullQueueOf(target: Target): string | undefined {
  return target.kind === 'pull' ? target.queue : undefined;
}
