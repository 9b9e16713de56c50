import * as z from 'zod';

/**
 * A message on the work queue: "this occurrence is due". It carries no decision: the worker reads the
 * occurrence and decides by what it finds, so a late, early or repeated message is harmless.
 */
export const workMessageSchema = z.strictObject({
  /** Occurrence id. */
  id: z.string().min(1),
  /** The `dispatch_seq` that this message was sent for. */
  seq: z.int().positive(),
  /** Epoch milliseconds: when it may start. */
  dueAt: z.int().nonnegative(),
  /** Places in slots that it has already, so that the worker need not look for them: slot → stripe. */
  places: z.record(z.string(), z.int().nonnegative()).optional(),
});

export type WorkMessage = z.infer<typeof workMessageSchema>;

/** Message attribute on the dead-letter queue that says why the message is there. */
export const DEAD_LETTER_REASON = 'punctual-reason';
