import { logger } from '../adapters/telemetry.ts';
import { hashFraction } from '../core/hash.ts';
import type { MessageVisibility } from '../core/ports/work-queue.ts';

/** Seconds until a message that could not be worked on comes again, for the first time. */
const FIRST = 30;
/** Each time that much longer: what has failed twice fails for longer than a moment, and all of them meet it. */
const FACTOR = 4;
const LONGEST = 900;
/** Half of it is drawn from a hash of the message: those that failed together do not come back together. */
const SPREAD = 0.5;

/** Seconds until it comes again, after so many receives: about 30, 120, 480, and then a quarter of an hour. */
export function comeAgainSeconds(messageId: string, receives: number): number {
  const whole = Math.min(LONGEST, FIRST * FACTOR ** (Math.max(1, receives) - 1));
  return Math.round(whole * (1 + SPREAD * hashFraction(`${messageId}#${receives}`)));
}

/** A message as it was received. */
export interface ReceivedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly receives: number;
}

/**
 * Works on a message, and has one that failed come again soon: the queue would hide it for as long as the longest
 * attempt may take, and more. Throws what `work` threw, so that the message is reported as failed and stays.
 */
export async function orComeAgain(
  queue: MessageVisibility,
  message: ReceivedMessage,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const seconds = comeAgainSeconds(message.messageId, message.receives);
    try {
      await queue.showAgain(message.receiptHandle, seconds);
    } catch (cause) {
      // It comes all the same, only later; and the sweep hands over what is overdue before that.
      logger.warn('A message that failed stays hidden', {
        messageId: message.messageId,
        error: cause as Error,
      });
    }
    throw error;
  }
}
