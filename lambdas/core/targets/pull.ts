import * as z from 'zod';
import { nameSchema } from './aws/name-schema.ts';
import { defineTargetKind } from './kind.ts';

/** Not called: workers anywhere claim what is due through the API. */
export const pull = defineTargetKind({
  schema: z
    .strictObject({
      kind: z.literal('pull'),
      queue: nameSchema.meta({ description: 'Workers claim from it with POST /pull/{queue}/claim.' }),
    })
    .meta({ id: 'PullTarget', description: 'Not called: workers anywhere claim what is due.' }),
  allowed: { by: 'nothing-is-called' },
  placeholdersIn: [],
  mayFinishLater: true,
  aliases: {},
});

export type PullTarget = z.output<typeof pull.schema>;
