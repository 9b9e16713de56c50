import * as z from 'zod';
import { defineTargetKind } from './kind.ts';

/** Succeeds by itself; the canary's target (canary.ts), which no request may name. */
export const canary = defineTargetKind({
  schema: z.strictObject({ kind: z.literal('canary') }),
  allowed: { by: 'nothing-is-called' },
  placeholdersIn: [],
  mayFinishLater: false,
  aliases: {},
});
