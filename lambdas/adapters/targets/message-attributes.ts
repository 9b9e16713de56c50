import type { Invocation } from '../../core/ports/target-caller.ts';
import { toIso } from '../../core/time.ts';

const text = (StringValue: string) => ({ DataType: 'String', StringValue });

/** What a consumer of a queue or topic needs to recognise an occurrence without reading the body. */
export function messageAttributes(invocation: Invocation) {
  return {
    'idempotency-key': text(invocation.idempotencyKey),
    'punctual-scheduled-time': text(toIso(invocation.scheduledTime)),
    'punctual-attempt': text(String(invocation.attempt)),
    'punctual-fencing-token': text(String(invocation.fencingToken)),
  };
}

/** Characters of a message group's id (AWS: API_SendMessage, API_Publish); the longest schedule id has one more. */
const MAX_GROUP_ID = 128;

/** Order and deduplication on a FIFO queue or topic; nothing for another one. */
export function fifoFields(
  arn: string,
  messageGroupId: string | undefined,
  { schedule, idempotencyKey }: Pick<Invocation, 'schedule' | 'idempotencyKey'>,
) {
  if (!arn.endsWith('.fifo')) return {};
  return {
    MessageGroupId: messageGroupId ?? schedule.replaceAll('/', '.').slice(0, MAX_GROUP_ID),
    MessageDeduplicationId: idempotencyKey,
  };
}
