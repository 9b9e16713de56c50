import * as z from 'zod';
import { defineTargetKind } from '../kind.ts';
import { arnSchema } from './arn.ts';

const ARN = { service: 'lambda', prefix: 'function:' };

/** Invokes a function and waits for its result. */
export const lambda = defineTargetKind({
  schema: z
    .strictObject({
      kind: z.literal('lambda'),
      functionArn: arnSchema(
        ARN,
        '[A-Za-z0-9_-]{1,64}(:[A-Za-z0-9_$-]{1,128})?',
        'The ARN of a function, with or without a version or alias.',
        'report',
      ),
    })
    .meta({ id: 'LambdaTarget' }),
  allowed: {
    ...ARN,
    by: 'arn',
    field: 'functionArn',
    arnOf: ({ functionArn }) => functionArn,
    entry: '[\\w*?:$-]+',
    action: 'lambda:InvokeFunction',
  },
  placeholdersIn: [],
  mayFinishLater: false,
  aliases: { functionArn: 'arn function functionname lambda lambdaarn' },
});

export type LambdaTarget = z.output<typeof lambda.schema>;
