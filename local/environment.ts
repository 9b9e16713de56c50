import type {
  ApiEnv,
  EnvironmentOf,
  RelayEnv,
  SweepEnv,
  TickEnv,
  WorkerEnv,
} from '../lambdas/contract/env.ts';
import { SERVICE_VARIABLE } from '../lambdas/contract/metrics.ts';
import { LOCAL_AWS_ENV } from './engine/aws.ts';
import { LOCAL } from './settings.ts';

export interface Endpoints {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly lambda: string;
  readonly secrets: string;
  readonly workQueueUrl: string;
  readonly deadLetterQueueUrl: string;
}

/** The five functions share a process here, and so the union of what each is told in a deployment. */
type FunctionsEnv = EnvironmentOf<TickEnv & RelayEnv & WorkerEnv & SweepEnv & ApiEnv>;

/** Variables of the person at the terminal that would lead the SDK elsewhere, or make it warn. */
const MISLEADING = [
  'AWS_PROFILE',
  'AWS_SESSION_TOKEN',
  'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
  'AWS_USE_FIPS_ENDPOINT',
  'AWS_USE_DUALSTACK_ENDPOINT',
];

/** Sets this process's environment up as a function's. To be done before any handler is imported. */
export function applyEnvironment(endpoints: Endpoints): void {
  for (const name of MISLEADING) delete process.env[name];
  Object.assign(process.env, LOCAL_AWS_ENV, functionsEnv(endpoints), {
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_SNS: endpoints.sqs,
    AWS_ENDPOINT_URL_LAMBDA: endpoints.lambda,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secrets,
    AWS_ENDPOINT_URL_SSM: endpoints.secrets,
    // Every other service: refused here in plain words, instead of asking AWS with credentials that are none.
    AWS_ENDPOINT_URL: endpoints.lambda,
    // The terminal shows one line per occurrence; POWERTOOLS_LOG_LEVEL=INFO brings the functions' own logs back.
    POWERTOOLS_LOG_LEVEL: process.env.POWERTOOLS_LOG_LEVEL ?? 'WARN',
    POWERTOOLS_METRICS_DISABLED: 'true',
    [SERVICE_VARIABLE]: 'punctual-local',
  });
}

function functionsEnv(endpoints: Endpoints): FunctionsEnv {
  return {
    SCHEDULES_TABLE_NAME: LOCAL.tables.schedulesTable,
    OCCURRENCES_TABLE_NAME: LOCAL.tables.occurrencesTable,
    SHARD_COUNT: String(LOCAL.shardCount),
    SHARDS_PER_INVOCATION: String(LOCAL.shardsPerInvocation),
    LEAD_SECONDS: String(LOCAL.leadSeconds),
    PLAN_WINDOW_SECONDS: String(LOCAL.planWindowSeconds),
    RETENTION_DAYS: String(LOCAL.retentionDays),
    LEASE_SECONDS: String(LOCAL.leaseSeconds),
    // It would write a line a minute to the terminal; whoever sits at it sees whether the pipeline works.
    CANARY: 'false',
    REDISPATCH_SECONDS: String(LOCAL.redispatchSeconds),
    ALLOWED_TARGETS: LOCAL.allowedTargets.join(','),
    ALLOWED_SECRETS: LOCAL.allowedSecrets.join(','),
    HTTP_ALLOWED_RANGES: LOCAL.httpAllowedRanges,
    WORK_QUEUE_URL: endpoints.workQueueUrl,
    DEAD_LETTER_QUEUE_URL: endpoints.deadLetterQueueUrl,
  };
}
