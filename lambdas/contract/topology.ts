/**
 * The figures of the pipeline: what the CDK deploys and what the embedded run plays. Each is here once, with its reason, so
 * that a time-out that is raised in a deployment is raised on a developer's machine as well.
 */

export type FunctionName = 'tick' | 'relay' | 'worker' | 'sweep' | 'api';

interface FunctionFigures {
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
}

export const FUNCTIONS = {
  /** Ends before the next one starts, and no later than its shard leases. */
  tick: { timeoutSeconds: 55, memoryMb: 1024 },
  /** A batch takes 10 sends; the rest is room for the SDK's retries. */
  relay: { timeoutSeconds: 30, memoryMb: 512 },
  /** Lambda's maximum: an attempt may take as long as it can. */
  worker: { timeoutSeconds: 900, memoryMb: 512 },
  /** Ends before the next one starts, so that a backlog is not swept twice at once. */
  sweep: { timeoutSeconds: 55, memoryMb: 512 },
  /** An HTTP API gives up after 30 seconds: the function's own error comes first and is logged. */
  api: { timeoutSeconds: 29, memoryMb: 1024 },
} as const satisfies Readonly<Record<FunctionName, FunctionFigures>>;

/** How often tick and sweep start. */
export const CLOCK_SECONDS = 60;

/** The stream's way into the relay. */
export const OUTBOX = {
  batchSize: 100,
  /** One of ten at a time per shard reads 4,000 records a second, and a busy minute has more. */
  parallelizationFactor: 10,
  /** Without these a record that cannot be handed over holds up its shard for a day and is then lost silently. */
  retryAttempts: 10,
  maxRecordAgeSeconds: 3_600,
} as const;

/** SQS: the longest delay of a message (API_SendMessage). */
export const MAX_DELAY_SECONDS = 900;

const DAY_SECONDS = 86_400;

export const WORK_QUEUE = {
  /** As AWS advises for Lambda. A crashed worker is not waited for: the sweep finds its lease long before. */
  visibilityTimeoutSeconds: 6 * FUNCTIONS.worker.timeoutSeconds,
  /** AWS recommends 5 and more with Lambda: a throttled poller counts a receive as well. */
  maxReceiveCount: 5,
  retentionSeconds: 4 * DAY_SECONDS,
  /** The age of a message counts from its first send: longer than the work queue's, or it would be lost there. */
  deadLetterRetentionSeconds: 14 * DAY_SECONDS,
  /** Run side by side by one worker. More than ten would need a window, and a window is lateness. */
  batchSize: 10,
} as const;

/**
 * No message of a working deployment grows older: delayed as long as can be, then taken by a worker that dies at
 * once, hidden until the queue shows it again, and taken a second time, in a batch that lasts as long as can be.
 */
export const OLDEST_HEALTHY_MESSAGE_SECONDS =
  MAX_DELAY_SECONDS + WORK_QUEUE.visibilityTimeoutSeconds + FUNCTIONS.worker.timeoutSeconds;

/** What settings of a deployment are unless it says otherwise; the embedded run takes the same where it can. */
export const DEFAULTS = {
  shardCount: 16,
  shardsPerInvocation: 8,
  leadSeconds: 120,
  planWindowSeconds: 600,
  leaseSeconds: 60,
  redispatchSeconds: 120,
  retentionDays: 30,
} as const;
