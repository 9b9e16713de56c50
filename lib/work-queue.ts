import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { WORK_QUEUE } from '../lambdas/contract/topology.ts';
import type { Config } from './config.ts';

/** SQS asks KMS once in this time for each role that sends or receives; a key that was disabled goes on so long. */
const DATA_KEY_REUSE = Duration.minutes(5);

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
      retentionPeriod: Duration.seconds(WORK_QUEUE.deadLetterRetentionSeconds),
      ...encryption,
      enforceSSL: true,
    });
    // A standard queue: FIFO knows no delay per message, and a message group id makes a standard queue fair.
    this.queue = new Queue(this, 'Work', {
      retentionPeriod: Duration.seconds(WORK_QUEUE.retentionSeconds),
      visibilityTimeout: Duration.seconds(WORK_QUEUE.visibilityTimeoutSeconds),
      ...encryption,
      enforceSSL: true,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: WORK_QUEUE.maxReceiveCount },
    });
  }
}
