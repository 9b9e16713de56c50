import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Config } from './config.ts';
import { WORKER_TIMEOUT } from './worker-function.ts';

/** AWS recommends 5 and more with Lambda: a throttled poller counts a receive as well. */
const MAX_RECEIVE_COUNT = 5;

/** SQS asks KMS once in this time for each role that sends or receives; a key that was disabled goes on so long. */
const DATA_KEY_REUSE = Duration.minutes(5);

/** AWS: the longest delay of a message. */
const MAX_DELAY = Duration.minutes(15);
/** As AWS advises for Lambda. A crashed worker is not waited for: the sweep finds its lease long before. */
const HIDDEN = Duration.seconds(6 * WORKER_TIMEOUT.toSeconds());

/**
 * No message of a working deployment grows older: delayed as long as can be, then taken by a worker that dies at
 * once, hidden until the queue shows it again, and taken a second time, in a batch that lasts as long as can be.
 */
export const OLDEST_HEALTHY_MESSAGE = MAX_DELAY.plus(HIDDEN).plus(WORKER_TIMEOUT);

/** The queue between relay and workers, and the one where messages end that no worker could take. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, config: Config) {
    super(scope, id);
    const { encryptionKey: key } = config;
    const encryption = key
      ? { encryption: QueueEncryption.KMS, encryptionMasterKey: key, dataKeyReuse: DATA_KEY_REUSE }
      : { encryption: QueueEncryption.SQS_MANAGED };
    this.deadLetters = new Queue(this, 'DeadLetters', {
      // The age of a message counts from its first send: longer than the work queue's, or it would be lost there.
      retentionPeriod: Duration.days(14),
      ...encryption,
      enforceSSL: true,
    });
    // A standard queue: FIFO knows no delay per message, and a message group id makes a standard queue fair.
    this.queue = new Queue(this, 'Work', {
      retentionPeriod: Duration.days(4),
      visibilityTimeout: HIDDEN,
      ...encryption,
      enforceSSL: true,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVE_COUNT },
    });
  }
}
