import * as z from 'zod';
import { cursorField, pageQuery, timestampSchema } from '../request/common-schema.ts';

export const zonesQuery = z.strictObject({ ...pageQuery });

export const zonesReport = z
  .object({
    zoneData: z.string().meta({ description: 'The version of the zone data here.', examples: ['2026c'] }),
    looked: z.int().meta({ description: 'Schedules that this page looked at; most of them do not move.' }),
    items: z.array(
      z.object({
        group: z.string(),
        name: z.string(),
        timezone: z.string(),
        state: z
          .enum(['moved', 'moves'])
          .meta({ description: '`moved`: planned by the new data already. `moves`: the next tick does it.' }),
        from: timestampSchema.meta({ description: 'The next nominal time by the data before.' }),
        to: timestampSchema
          .nullable()
          .meta({ description: 'By the data here; null when there is none any more.' }),
        zoneData: z
          .string()
          .nullable()
          .meta({ description: 'The version before; null when it was not kept.' }),
      }),
    ),
    cursor: cursorField,
  })
  .meta({ id: 'ZonesReport' });

export type ZonesReport = z.output<typeof zonesReport>;
