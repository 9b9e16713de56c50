import type { Dispatch } from '../occurrence/dispatch.ts';
import type { EpochMs } from '../time.ts';

export interface WorkQueue {
  /** Sends with a delay until due, at most 900 s. Answers the index of each entry that was not accepted. */
  send(batch: readonly Dispatch[], now: EpochMs): Promise<readonly { index: number; reason: string }[]>;
}

export interface MessageVisibility {
  /** Has a message that was received, and is not done with, come again in so many seconds. */
  showAgain(receiptHandle: string, seconds: number): Promise<void>;
}

export interface DeadLetters {
  /** Keeps a message that cannot be worked on, with the reason. */
  reject(body: string, reason: string): Promise<void>;
}
