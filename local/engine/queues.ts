import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { LOCAL_AWS } from './aws.ts';
import { LOOPBACK } from './ports.ts';

export interface QueueSettings {
  readonly name: string;
  readonly visibilityTimeoutSeconds: number;
  /** Receives after which a message goes to the dead-letter queue. */
  readonly maxReceives: number;
}

export interface Queue {
  readonly url: string;
  readonly arn: string;
}

export interface Queues {
  readonly endpoint: string;
  readonly work: Queue;
  readonly deadLetters: Queue;
  stop(): Promise<void>;
}

/**
 * SQS's stand-in, in memory. What it holds is lost with the process and need not be kept: the table knows
 * every occurrence that is to run, and the sweep has them handed over again at the next start. (Kept on
 * disk, each message would cost three synchronous writes.)
 */
export async function startQueues(settings: QueueSettings): Promise<Queues> {
  const app = buildApp({ logger: false, defaultRegion: LOCAL_AWS.region });
  const endpoint = await app.listen({ port: 0, host: LOOPBACK });
  const client = new SQSClient({ ...LOCAL_AWS, endpoint });
  try {
    const deadLetters = await createQueue(client, endpoint, `${settings.name}-dead-letters`, {});
    const work = await createQueue(client, endpoint, settings.name, {
      VisibilityTimeout: String(settings.visibilityTimeoutSeconds),
      RedrivePolicy: JSON.stringify({
        deadLetterTargetArn: deadLetters.arn,
        maxReceiveCount: settings.maxReceives,
      }),
    });
    return {
      endpoint,
      work,
      deadLetters,
      async stop() {
        app.server.closeAllConnections();
        await app.close();
      },
    };
  } finally {
    client.destroy();
  }
}

async function createQueue(
  client: SQSClient,
  endpoint: string,
  name: string,
  Attributes: Record<string, string>,
): Promise<Queue> {
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: name, Attributes }));
  // Its own URLs name hosts below `localhost`, which not every system resolves; it reads only their path.
  const url = `${endpoint}${new URL(QueueUrl).pathname}`;
  const found = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
  );
  return { url, arn: found.Attributes?.QueueArn ?? '' };
}
