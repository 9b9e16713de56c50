import type { StackConfig } from './config.ts';

/** One setting of a deployment, in words. docs/configuration.md is written from it (`npm run docs`). */
interface Setting {
  /** The values that are accepted. */
  readonly allowed: string;
  /** Markdown; links start from docs/. */
  readonly meaning: string;
}

/** Exhaustive by its type: a setting without a line here does not compile. */
export const SETTINGS: Readonly<Record<keyof StackConfig, Setting>> = {
  stackName: {
    allowed: 'a CloudFormation stack name',
    meaning: 'Name of the stack. Use one stack per environment; another name is another deployment.',
  },
  shardCount: {
    allowed: '1–256',
    meaning: 'Number of slices that schedules are spread over. It may grow and shrink later.',
  },
  shardsPerInvocation: {
    allowed: '1–256',
    meaning:
      'Shards that one tick invocation plans. With more shards, the tick fans out over several invocations.',
  },
  leadSeconds: {
    allowed: '60–600',
    meaning: 'How far ahead of now the tick looks. 120 survives one lost tick.',
  },
  planWindowSeconds: {
    allowed: '60–900, at least `leadSeconds`',
    meaning: 'How far ahead a schedule is planned once the tick looks at it.',
  },
  leaseSeconds: {
    allowed: '6–900',
    meaning: 'How long a worker that stopped renewing keeps its occurrence.',
  },
  redispatchSeconds: {
    allowed: '5–3600',
    meaning:
      'Seconds an occurrence may be overdue before it is dispatched again, unless the queue still holds it.',
  },
  retentionDays: {
    allowed: '1–3650',
    meaning: 'How long finished occurrences are kept. A schedule may set its own `retention`.',
  },
  logRetentionDays: {
    allowed: 'a period that CloudWatch Logs offers',
    meaning: 'How long logs are kept.',
  },
  removalPolicy: {
    allowed: '`retain`, `destroy`',
    meaning: '`retain` protects the tables from deletion; they outlive the stack.',
  },
  monitoring: {
    allowed: '`true`, `false`',
    meaning:
      'Alarms, their topic and the dashboard. Use `false` where nobody watches, or on an emulator that cannot have them.',
  },
  alarmEmail: {
    allowed: 'an e-mail address',
    meaning: 'Subscribed to the alarm topic; the address has to confirm once. Needs `monitoring`.',
  },
  overdueAlarmSeconds: {
    allowed: '10–3600',
    meaning: 'Seconds the oldest occurrence may be overdue before the alarm.',
  },
  overdueAlarmCount: {
    allowed: '1–1000000',
    meaning: 'Number of occurrences that may be overdue at once, for minutes, before the alarm.',
  },
  failedAlarmCount: {
    allowed: '1–1000000',
    meaning: 'Number of occurrences that may end as failed within five minutes before the alarm.',
  },
  workerMaxConcurrency: {
    allowed: '2–1000',
    meaning:
      'Most workers at once, so that the rest of the account keeps some of its [concurrency](deploy.md#concurrency). ' +
      'Cannot be combined with the two poller settings.',
  },
  workerMinPollers: {
    allowed: '2–200',
    meaning:
      'Provisioned pollers, always paid for, with 10 workers each. They remove the ramp-up when many jobs are due at once.',
  },
  workerMaxPollers: {
    allowed: '2–2000, at least `workerMinPollers`',
    meaning: 'Set both poller settings or neither.',
  },
  tickReservedConcurrency: {
    allowed: '1–1000, at least what a tick fans out to',
    meaning: 'Reserves concurrency for the tick, and limits it to that.',
  },
  relayReservedConcurrency: {
    allowed: '1–1000',
    meaning: 'The same for the relay. At most ten are busy for each shard of the stream.',
  },
  sweepReservedConcurrency: {
    allowed: '1–1000',
    meaning: 'The same for the sweep. 2 are enough.',
  },
  apiReservedConcurrency: {
    allowed: '1–1000',
    meaning: 'The same for the API. A claim that waits for work counts for as long as it waits.',
  },
  workerMemoryMb: {
    allowed: '128–10240',
    meaning: 'Memory of a worker, and with it its share of a CPU.',
  },
  tickMemoryMb: {
    allowed: '128–10240',
    meaning: 'Memory of a tick, and with it its share of a CPU.',
  },
  warmWritesPerSecond: {
    allowed: '4000–40000',
    meaning:
      'Write units per second that both tables and their indexes take from the start ' +
      '([when you need it](deploy.md#a-flood-on-new-tables)). It can only grow.',
  },
  canary: {
    allowed: '`true`, `false`',
    meaning:
      "A schedule of the deployment's own proves each minute that the pipeline works; an alarm tells when it is silent.",
  },
  apiRequestsPerSecond: {
    allowed: '1–10000',
    meaning:
      'Throttle of each API route. Bursts may be twice as large, up to 5,000; costly routes get a tenth of it.',
  },
  kmsKeyArn: {
    allowed: 'the ARN of a KMS key in the same Region',
    meaning: '[Encrypts](deploy.md#a-key-of-your-own) tables, queues, topic, bucket and logs.',
  },
  jwtIssuer: {
    allowed: 'an https URL',
    meaning: 'Callers send a [token](deploy.md#who-may-call-the-api) of this issuer instead of a signature.',
  },
  jwtAudience: {
    allowed: 'audiences',
    meaning: 'Required with `jwtIssuer`. A token must be for one of them.',
  },
  jwtReadScopes: {
    allowed: 'scopes',
    meaning: 'A token needs one of them to read. Set together with `jwtWriteScopes`.',
  },
  jwtWriteScopes: {
    allowed: 'scopes',
    meaning: 'A token needs one of them to change anything.',
  },
  httpAllowedRanges: {
    allowed: 'CIDR ranges',
    meaning: 'Private addresses that http targets may reach.',
  },
  allowedTargets: {
    allowed: 'ARNs, with `*` and `?` in their parts; hosts, with or without `*.` in front',
    meaning:
      '[What schedules may call](targets.md#what-may-be-called). Without an ARN, only `http` and `pull`; without a host, every public host.',
  },
  allowedSecrets: {
    allowed: 'ARNs, with `*` and `?` in their parts',
    meaning:
      '[Secrets](targets.md#secrets) and parameters that http targets may name, and the KMS keys of those encrypted with a key of yours.',
  },
};
