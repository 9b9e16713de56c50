import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { FromThread, ThreadData } from './protocol.ts';

/** More do not help: they all wait for the one engine. */
const MAX_THREADS = 4;
/** Also where there are two cores: what is not theirs needs less than one. */
const MIN_THREADS = 2;

export interface WorkerPool {
  /** Invocations that have not ended. */
  readonly running: () => number;
  /** Takes no more work; resolves once what runs has ended. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The worker function in threads beside the one that does all the rest: when many occurrences are due at once,
 * running them is two thirds of the work. They share the queue, as instances on AWS do.
 */
export async function startWorkerPool(
  source: Omit<ThreadData, 'running'>,
  onError: (message: string) => void,
): Promise<WorkerPool> {
  const running = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const count = Math.min(MAX_THREADS, Math.max(MIN_THREADS, availableParallelism() - 1));
  const threads = Array.from({ length: count }, () => startThread({ ...source, running }, onError));
  const stop = async () => {
    await Promise.all(threads.map(({ thread }) => thread.terminate()));
  };
  try {
    await Promise.all(threads.map(({ ready }) => ready));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    running: () => Atomics.load(running, 0),
    async drain() {
      for (const { thread } of threads) thread.postMessage('drain');
      await Promise.all(threads.map(({ drained }) => drained));
    },
    stop,
  };
}

function startThread(workerData: ThreadData, onError: (message: string) => void) {
  const thread = new Worker(new URL('./thread.ts', import.meta.url), { workerData });
  const ready = Promise.withResolvers<void>();
  const drained = Promise.withResolvers<void>();
  thread.on('message', (message: FromThread) => {
    switch (message.kind) {
      case 'ready':
        return ready.resolve();
      case 'drained':
        return drained.resolve();
      case 'error':
        return onError(message.message);
    }
  });
  thread.on('error', (error) => {
    ready.reject(error);
    onError(`A worker thread ended: ${error instanceof Error ? error.message : String(error)}`);
  });
  // However it ends: nobody is to wait for it any longer.
  thread.once('exit', () => drained.resolve());
  return { thread, ready: ready.promise, drained: drained.promise };
}
