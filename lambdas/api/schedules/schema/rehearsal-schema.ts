import * as z from 'zod';
import { noteSchema } from '../../request/common-schema.ts';
import { fireView } from '../../service/plan-schema.ts';
import { STATES } from './schedule-schema.ts';

/** What a change would come to; nothing is written. */
export const rehearsalView = z
  .object({
    state: z.enum(STATES).meta({ description: 'The state it would have. While paused, no time fires.' }),
    before: z
      .array(fireView)
      .meta({ description: 'The next ten times as they are; none without a schedule.' }),
    after: z.array(fireView).meta({ description: 'The next ten times as they would be.' }),
    added: z
      .array(fireView)
      .meta({ description: 'Those of `after` that would not fire without the change.' }),
    removed: z.array(fireView).meta({ description: 'Those of `before` that would not fire any more.' }),
    warnings: z.array(noteSchema),
  })
  .meta({ id: 'Rehearsal' });
