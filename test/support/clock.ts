import type { Clock } from '../../lambdas/core/ports/clock.ts';
import { type EpochMs, epochMs } from '../../lambdas/core/time.ts';

export interface TestClock extends Clock {
  set(at: EpochMs): void;
  advance(ms: number): void;
  /** Resolves once somebody waits for a time up to `by`: code under test has come to its wait. */
  waiting(by?: number): Promise<void>;
}

/** A clock that moves when a test says so; waits end when it passes them. */
export function testClock(start: EpochMs): TestClock {
  let now = start;
  let waits: { readonly at: EpochMs; readonly done: () => void }[] = [];
  let watchers: { readonly by: number; readonly notify: () => void }[] = [];

  function move(to: EpochMs): void {
    now = to;
    const due = waits.filter((wait) => wait.at <= now);
    waits = waits.filter((wait) => wait.at > now);
    for (const wait of due) wait.done();
  }

  return {
    now: () => now,
    until(at, signal) {
      if (at <= now || signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wait = { at, done: resolve };
        waits.push(wait);
        signal?.addEventListener('abort', () => {
          waits = waits.filter((other) => other !== wait);
          resolve();
        });
        const ready = watchers.filter(({ by }) => at <= by);
        watchers = watchers.filter(({ by }) => at > by);
        for (const { notify } of ready) notify();
      });
    },
    set: move,
    advance: (ms) => move(epochMs(now + ms)),
    waiting: (by = Number.POSITIVE_INFINITY) =>
      waits.some((wait) => wait.at <= by)
        ? Promise.resolve()
        : new Promise((notify) => watchers.push({ by, notify })),
  };
}
