import { Names, type RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { type Config, parseSettings } from './config.ts';

/** Settings of a `Punctual` construct. docs/configuration.md explains each; both places check values in the same way. */
export interface PunctualProps {
  /**
   * Name of the API and the dashboard, prefix of the alarms' names and dimension of the metrics. It must be unique in the
   * account and Region.
   * @default a unique name from the construct's path
   */
  readonly name?: string | undefined;
  /**
   * Encrypts tables, queues, topic, bucket and logs. The policy of an imported key must let CloudWatch Logs and
   * CloudWatch use it.
   * @default each service encrypts with a key of its own
   */
  readonly encryptionKey?: IKey | undefined;
  /**
   * Number of slices that schedules are spread over. It may grow and shrink later.
   * @default 16
   */
  readonly shardCount?: number | undefined;
  /**
   * Shards that one tick invocation plans. With more shards, the tick fans out over several invocations.
   * @default 8
   */
  readonly shardsPerInvocation?: number | undefined;
  /**
   * How far ahead of now the tick looks, in seconds.
   * @default 120
   */
  readonly leadSeconds?: number | undefined;
  /**
   * How far ahead a schedule is planned once the tick looks at it, in seconds.
   * @default 600
   */
  readonly planWindowSeconds?: number | undefined;
  /**
   * How long a worker that stopped renewing keeps its occurrence, in seconds.
   * @default 60
   */
  readonly leaseSeconds?: number | undefined;
  /**
   * Seconds an occurrence may be overdue before it is dispatched again, unless the queue still holds it.
   * @default 120
   */
  readonly redispatchSeconds?: number | undefined;
  /**
   * How many days finished occurrences are kept. A schedule may set its own retention.
   * @default 30
   */
  readonly retentionDays?: number | undefined;
  /**
   * How many days logs are kept; a period that CloudWatch Logs offers.
   * @default 30
   */
  readonly logRetentionDays?: number | undefined;
  /**
   * `retain` protects the tables from deletion; they outlive the stack.
   * @default 'retain'
   */
  readonly removalPolicy?: 'retain' | 'destroy' | RemovalPolicy.RETAIN | RemovalPolicy.DESTROY | undefined;
  /**
   * Alarms, their topic and the dashboard.
   * @default true
   */
  readonly monitoring?: boolean | undefined;
  /**
   * Subscribed to the alarm topic. The address has to confirm once.
   * @default none
   */
  readonly alarmEmail?: string | undefined;
  /**
   * Seconds the oldest occurrence may be overdue before the alarm.
   * @default 60
   */
  readonly overdueAlarmSeconds?: number | undefined;
  /**
   * Number of occurrences that may be overdue at once, for minutes, before the alarm.
   * @default 100
   */
  readonly overdueAlarmCount?: number | undefined;
  /**
   * Number of occurrences that may end as failed within five minutes before the alarm.
   * @default 1
   */
  readonly failedAlarmCount?: number | undefined;
  /**
   * Most workers at once. Cannot be combined with pollers.
   * @default 800, or none with pollers
   */
  readonly workerMaxConcurrency?: number | undefined;
  /**
   * Fewest provisioned pollers, with 10 workers each. They are always paid for.
   * @default none
   */
  readonly workerMinPollers?: number | undefined;
  /**
   * Most provisioned pollers. Set both or neither.
   * @default none
   */
  readonly workerMaxPollers?: number | undefined;
  /**
   * Reserves concurrency for the tick, and limits it to that.
   * @default none
   */
  readonly tickReservedConcurrency?: number | undefined;
  /**
   * Reserves concurrency for the relay, and limits it to that.
   * @default none
   */
  readonly relayReservedConcurrency?: number | undefined;
  /**
   * Reserves concurrency for the sweep, and limits it to that.
   * @default none
   */
  readonly sweepReservedConcurrency?: number | undefined;
  /**
   * Reserves concurrency for the API, and limits it to that.
   * @default none
   */
  readonly apiReservedConcurrency?: number | undefined;
  /**
   * Memory of a worker in MB, and with it its share of a CPU.
   * @default 512
   */
  readonly workerMemoryMb?: number | undefined;
  /**
   * Memory of a tick in MB, and with it its share of a CPU.
   * @default 1024
   */
  readonly tickMemoryMb?: number | undefined;
  /**
   * Write units per second that both tables and their indexes take from the start. It can only grow.
   * @default none
   */
  readonly warmWritesPerSecond?: number | undefined;
  /**
   * Whether a schedule of the deployment's own proves each minute that the pipeline works.
   * @default true
   */
  readonly canary?: boolean | undefined;
  /**
   * Throttle of each API route.
   * @default 50
   */
  readonly apiRequestsPerSecond?: number | undefined;
  /**
   * Callers of the API send a token of this issuer instead of a signature.
   * @default none
   */
  readonly jwtIssuer?: string | undefined;
  /**
   * Audiences of which a token must name one. Required with `jwtIssuer`.
   * @default none
   */
  readonly jwtAudience?: readonly string[] | undefined;
  /**
   * Scopes of which a token needs one to read. Set together with `jwtWriteScopes`.
   * @default none
   */
  readonly jwtReadScopes?: readonly string[] | undefined;
  /**
   * Scopes of which a token needs one to change anything.
   * @default none
   */
  readonly jwtWriteScopes?: readonly string[] | undefined;
  /**
   * Private addresses that http targets may reach, as CIDR ranges.
   * @default none
   */
  readonly httpAllowedRanges?: readonly string[] | undefined;
  /**
   * What schedules may call: ARNs, which may hold wildcards, and hosts.
   * @default no AWS resource, and every public host
   */
  readonly allowedTargets?: readonly string[] | undefined;
  /**
   * ARNs of secrets and parameters that http targets may name, and of the KMS keys that encrypt them.
   * @default none
   */
  readonly allowedSecrets?: readonly string[] | undefined;
}

/** What a name may be: API, dashboard and alarms all take it. */
const NAME = /^[A-Za-z][A-Za-z0-9-]{0,127}$/;

/** The settings with their defaults; throws one sentence for each fault. */
export function resolveProps(scope: Construct, props: PunctualProps): Config {
  const { name = Names.uniqueResourceName(scope, { maxLength: 100, separator: '-' }), encryptionKey } = props;
  if (!NAME.test(name)) {
    throw new Error(
      `name is ${JSON.stringify(name)}; it must begin with a letter and hold only letters, digits and hyphens, at most 128.`,
    );
  }
  const { name: _name, encryptionKey: _key, ...settings } = props;
  const { stackName: _stack, kmsKeyArn: _arn, ...checked } = parseSettings(settings, '');
  return { ...checked, name, ...(encryptionKey && { encryptionKey }) };
}
