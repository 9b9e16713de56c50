import * as z from 'zod';
import { defineTargetKind } from '../kind.ts';
import { arnSchema } from './arn.ts';

const ARN = { service: 'events', prefix: 'event-bus/' };

/** Puts an event on a bus. */
export const eventBus = defineTargetKind({
  schema: z
    .strictObject({
      kind: z.literal('eventBus'),
      eventBusArn: arnSchema(ARN, '[A-Za-z0-9._/-]{1,256}', 'The ARN of an event bus.', 'jobs'),
      detailType: z.string().min(1).max(128).exactOptional(),
    })
    .meta({ id: 'EventBusTarget' }),
  allowed: {
    ...ARN,
    by: 'arn',
    field: 'eventBusArn',
    arnOf: ({ eventBusArn }) => eventBusArn,
    entry: '[\\w*?./-]+',
    action: 'events:PutEvents',
  },
  placeholdersIn: [],
  mayFinishLater: false,
  aliases: { eventBusArn: 'arn eventbus bus' },
});

export type EventBusTarget = z.output<typeof eventBus.schema>;
