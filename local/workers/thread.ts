import { parentPort, workerData } from 'node:worker_threads';
import { SQSClient } from '@aws-sdk/client-sqs';
import { LOCAL_AWS } from '../engine/aws.ts';
import { loadFunction } from '../functions.ts';
import { LOCAL } from '../settings.ts';
import { startQueueMapping } from '../sources/queue-mapping.ts';
import type { FromThread, ThreadData } from './protocol.ts';

/** One thread of workers: the deployed handler and the event source mapping that feeds it. */
const { sqsEndpoint, queueUrl, queueArn, running } = workerData as ThreadData;
const tell = (message: FromThread) => parentPort?.postMessage(message);

const worker = await loadFunction('worker');
const mapping = startQueueMapping({
  client: new SQSClient({ ...LOCAL_AWS, endpoint: sqsEndpoint }),
  queueUrl,
  queueArn,
  async invoke(event) {
    Atomics.add(running, 0, 1);
    try {
      return await worker.invoke(event);
    } finally {
      Atomics.sub(running, 0, 1);
    }
  },
  ...LOCAL.worker,
  onError: (message) => tell({ kind: 'error', message }),
});

parentPort?.once('message', () => {
  mapping.stop().then(() => tell({ kind: 'drained' }));
});
tell({ kind: 'ready' });
