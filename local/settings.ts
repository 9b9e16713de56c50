/**
 * What the embedded run sets otherwise than a deployment does, and why. All the rest is as in lib/.
 */
export const LOCAL = {
  tables: { schedulesTable: 'punctual-schedules', occurrencesTable: 'punctual-occurrences' },

  /** Few, since one engine serves them all; more than fit one invocation, so that the fan-out runs here too. */
  shardCount: 4,
  shardsPerInvocation: 2,
  leadSeconds: 120,
  planWindowSeconds: 600,
  retentionDays: 30,

  /**
   * A deployment has 60: after a kill -9 a developer waits for what was running no longer than this and a sweep. A third
   * of it is what a renewal may be late: all share one engine, and a burst keeps it busy for seconds.
   */
  leaseSeconds: 30,
  redispatchSeconds: 60,
  /** Every ARN: what is not played here says so itself when it is called. */
  allowedTargets: [
    'arn:*:lambda:*:*:function:*',
    'arn:*:sqs:*:*:*',
    'arn:*:sns:*:*:*',
    'arn:*:events:*:*:event-bus/*',
    'arn:*:states:*:*:stateMachine:*',
  ],
  allowedSecrets: ['arn:*:secretsmanager:*:*:secret:*', 'arn:*:ssm:*:*:parameter/*'],
  /** What runs on this machine is what a schedule is tried out with. */
  httpAllowedRanges: '127.0.0.0/8,::1/128',

  tickEveryMs: 60_000,
  /** Twelve times a deployment's rate: nobody pays for it here, and expired leases are found sooner. */
  sweepEveryMs: 5_000,

  /** Milliseconds, as deployed. */
  timeouts: { tick: 55_000, relay: 30_000, worker: 900_000, sweep: 55_000, api: 29_000 },
  /** As deployed: six times the worker's timeout, and five receives before the dead-letter queue. */
  queue: { name: 'punctual-work', visibilityTimeoutSeconds: 5_400, maxReceives: 5 },

  relay: {
    batchSize: 100,
    /** As deployed: one try and ten more. */
    policy: { maxAttempts: 11, pauseMs: 100, maxPauseMs: 5_000 },
  },
  /** In each of the worker threads. */
  worker: { batchSize: 10, maxConcurrency: 100, pollers: 2 },
} as const;

export type FunctionName = keyof typeof LOCAL.timeouts;

/** Name of the deployed function; here there is one deployment, so nothing is added to it. */
export const deployedName = (name: FunctionName) => `punctual-${name}`;
