import { everyArn, TARGET_FORMS } from '../lambdas/contract/allow/arns.ts';
import {
  CLOCK_SECONDS,
  DEFAULTS,
  FUNCTIONS,
  type FunctionName,
  OUTBOX,
  WORK_QUEUE,
} from '../lambdas/contract/topology.ts';

/**
 * What the embedded run sets otherwise than a deployment does, and why. All the rest is as in
 * contract/topology.ts, which lib/ deploys.
 */
export const LOCAL = {
  tables: { schedulesTable: 'punctual-schedules', occurrencesTable: 'punctual-occurrences' },

  /** Few, since one engine serves them all; more than fit one invocation, so that the fan-out runs here too. */
  shardCount: 4,
  shardsPerInvocation: 2,
  leadSeconds: DEFAULTS.leadSeconds,
  planWindowSeconds: DEFAULTS.planWindowSeconds,
  retentionDays: DEFAULTS.retentionDays,

  /**
   * A deployment has 60: after a kill -9 a developer waits for what was running no longer than this and a sweep. A third
   * of it is what a renewal may be late: all share one engine, and a burst keeps it busy for seconds.
   */
  leaseSeconds: 30,
  redispatchSeconds: 60,
  /** Every ARN: what is not played here says so itself when it is called. */
  allowedTargets: TARGET_FORMS.map(everyArn),
  allowedSecrets: ['arn:*:secretsmanager:*:*:secret:*', 'arn:*:ssm:*:*:parameter/*'],
  /** What runs on this machine is what a schedule is tried out with. */
  httpAllowedRanges: '127.0.0.0/8,::1/128',

  tickEveryMs: CLOCK_SECONDS * 1_000,
  /** Twelve times a deployment's rate: nobody pays for it here, and expired leases are found sooner. */
  sweepEveryMs: 5_000,

  queue: {
    name: 'punctual-work',
    visibilityTimeoutSeconds: WORK_QUEUE.visibilityTimeoutSeconds,
    maxReceives: WORK_QUEUE.maxReceiveCount,
  },

  relay: {
    batchSize: OUTBOX.batchSize,
    policy: { maxAttempts: 1 + OUTBOX.retryAttempts, pauseMs: 100, maxPauseMs: 5_000 },
  },
  /** In each of the worker threads. */
  worker: { batchSize: WORK_QUEUE.batchSize, maxConcurrency: 100, pollers: 2 },
} as const;

export const timeoutMsOf = (name: FunctionName) => FUNCTIONS[name].timeoutSeconds * 1_000;

/** Name of the deployed function; here there is one deployment, so nothing is added to it. */
export const deployedName = (name: FunctionName) => `punctual-${name}`;
