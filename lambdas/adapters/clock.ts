import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../core/ports/clock.ts';
import { epochMs } from '../core/time.ts';

/** The one place that reads the machine's clock. */
export const systemClock: Clock = {
  now: () => epochMs(Date.now()),
  async until(at, signal) {
    // A timer may fire up to a millisecond early by this clock; nothing may start before its time.
    while (Date.now() < at && !signal?.aborted) {
      try {
        await sleep(Math.min(at - Date.now(), MAX_TIMER), undefined, signal && { signal });
      } catch (error) {
        if (!signal?.aborted) throw error;
      }
    }
  },
};

/** setTimeout counts in 32 bits; longer waits are taken in pieces. */
const MAX_TIMER = 2 ** 31 - 1;
