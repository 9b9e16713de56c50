import assert from 'node:assert/strict';
import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { DEAD_LETTER_REASON } from '../../../lambdas/contract/message.ts';
import { until } from '../support/until.ts';
import { named, type World } from '../support/world.ts';

const MESSAGE = '{ "id": "nothing that we sent" }';

/** A message that no worker can read ends on the dead-letter queue, with the reason beside it. */
export async function unreadableIsKept({ sqs, outputs }: World): Promise<string> {
  await sqs.send(new SendMessageCommand({ QueueUrl: named(outputs, 'WorkQueueUrl'), MessageBody: MESSAGE }));
  const QueueUrl = named(outputs, 'DeadLetterQueueUrl');
  const message = await until('the message on the dead-letter queue', 60_000, async () => {
    const { Messages: [found] = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1, MessageAttributeNames: ['All'] }),
    );
    return found;
  });
  assert.equal(message.Body, MESSAGE);
  const reason = message.MessageAttributes?.[DEAD_LETTER_REASON]?.StringValue;
  assert(reason);
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
  return reason;
}
