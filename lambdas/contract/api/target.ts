import * as z from 'zod';
import { hasPlaceholder, visitTexts } from '../../core/placeholders.ts';
import { nameSchema } from './common.ts';
import {
  eventBusTargetSchema,
  lambdaTargetSchema,
  snsTargetSchema,
  sqsTargetSchema,
  stateMachineTargetSchema,
} from './target-aws.ts';
import { httpTargetSchema } from './target-http.ts';

export const pullTargetSchema = z
  .strictObject({
    kind: z.literal('pull'),
    queue: nameSchema.meta({ description: 'Workers claim from it with POST /pull/{queue}/claim.' }),
  })
  .meta({ id: 'PullTarget', description: 'Not called: workers anywhere claim what is due.' });

/** Only `url` and `headers` have theirs filled in; elsewhere in a target they would go out as they are. */
function unfilledPlaceholder(target: object): string | undefined {
  const texts: string[] = [];
  for (const [field, value] of Object.entries(target)) {
    if (field === 'url') continue;
    // Of headers those that are texts are filled in; a secret and its prefix are not.
    const parts =
      field === 'headers' ? Object.values(value).filter((part) => typeof part !== 'string') : value;
    visitTexts(parts, (text) => texts.push(text));
  }
  return texts.find(hasPlaceholder);
}

export const targetSchema = z
  .discriminatedUnion(
    'kind',
    [
      httpTargetSchema,
      lambdaTargetSchema,
      sqsTargetSchema,
      snsTargetSchema,
      eventBusTargetSchema,
      stateMachineTargetSchema,
      pullTargetSchema,
    ],
    { error: 'An object whose "kind" is http, lambda, sqs, sns, eventBus, stateMachine or pull.' },
  )
  .check(({ value, issues }) => {
    const text = unfilledPlaceholder(value);
    if (text === undefined) return;
    const message = `Of a target only "url" and "headers" may have placeholders; "${text.slice(0, 100)}" is elsewhere.`;
    issues.push({ code: 'custom', message, input: value });
  })
  .meta({ id: 'Target', description: 'What the schedule calls.' });
