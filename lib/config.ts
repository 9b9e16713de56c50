import { isIP } from 'node:net';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import * as z from 'zod';
import { isSecretEntry, isTargetEntry } from '../lambdas/contract/allow/allow-list.ts';
import { LIMITS } from '../lambdas/contract/env.ts';
import { DEFAULTS, FUNCTIONS } from '../lambdas/contract/topology.ts';

/**
 * How a deployment is configured: CDK context under the prefix `punctual:`, in cdk.json or on the command
 * line (`npx cdk deploy -c punctual:shardCount=32`). Lists are JSON arrays or text separated by commas.
 * What each setting means is in settings.ts.
 *
 * Any other key under the prefix is refused, so that a typing error is not a silent default.
 */
export const CONTEXT_PREFIX = 'punctual:';

/** What CloudWatch Logs accepts (AWS: API_PutRetentionPolicy). */
export const LOG_RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

/** AWS: function memory. */
const MEMORY = { min: 128, max: 10_240 };

/** None would stop the function. */
const RESERVED = { min: 1, max: 1000 };

interface Range {
  readonly min: number;
  readonly max: number;
}

/** Command-line context is text; a number in it counts as one. Anything else is left for the check to refuse. */
const fromText = (value: unknown) =>
  typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;

function whole({ min, max }: Range) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.preprocess(fromText, z.int({ error }).min(min, { error }).max(max, { error }));
}

function flag() {
  const read = (value: unknown) => (value === 'true' || value === 'false' ? value === 'true' : value);
  return z.preprocess(read, z.boolean({ error: 'must be true or false' }));
}

const splitText = (value: unknown) =>
  typeof value === 'string'
    ? value
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')
    : value;

function list(isValid: (text: string) => boolean, error: string) {
  return z.preprocess(splitText, z.array(z.string({ error }).refine(isValid, { error }), { error }));
}

/** A worker that cannot read its ranges does not start. */
function isCidr(text: string): boolean {
  const [, address = '', bits] = /^([\da-fA-F.:]+)\/(\d{1,3})$/.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(bits) <= (family === 4 ? 32 : 128);
}

/** CloudWatch Logs takes no alias. */
const KEY_ARN = /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]+$/;
const isWord = (text: string) => /^\S+$/.test(text);
const STACK_NAME = /^[A-Za-z][A-Za-z0-9-]{0,127}$/;

/** AWS: concurrent executions of an account are 1,000 unless raised. The rest is for the other functions. */
export const WORKER_MAX_CONCURRENCY = 800;

const fields = z.strictObject({
  stackName: z
    .string({ error: 'must be text' })
    .regex(STACK_NAME, {
      error: 'must begin with a letter and hold only letters, digits and hyphens, at most 128',
    })
    .default('Punctual'),
  shardCount: whole(LIMITS.shardCount).default(DEFAULTS.shardCount),
  shardsPerInvocation: whole(LIMITS.shardCount).default(DEFAULTS.shardsPerInvocation),
  leadSeconds: whole(LIMITS.lead).default(DEFAULTS.leadSeconds),
  planWindowSeconds: whole(LIMITS.planWindow).default(DEFAULTS.planWindowSeconds),
  leaseSeconds: whole(LIMITS.lease).default(DEFAULTS.leaseSeconds),
  redispatchSeconds: whole(LIMITS.redispatch).default(DEFAULTS.redispatchSeconds),
  retentionDays: whole(LIMITS.retentionDays).default(DEFAULTS.retentionDays),
  logRetentionDays: z
    .preprocess(
      fromText,
      z.literal(LOG_RETENTION_DAYS, { error: `must be one of ${LOG_RETENTION_DAYS.join(', ')}` }),
    )
    .default(30),
  removalPolicy: z.enum(['retain', 'destroy'], { error: "must be 'retain' or 'destroy'" }).default('retain'),
  monitoring: flag().default(true),
  alarmEmail: z.email({ error: 'must be an e-mail address' }).optional(),
  overdueAlarmSeconds: whole({ min: 10, max: 3600 }).default(60),
  /** Both go with the size of the deployment: what is a crowd, and whether each failure is worth a message. */
  overdueAlarmCount: whole({ min: 1, max: 1_000_000 }).default(100),
  failedAlarmCount: whole({ min: 1, max: 1_000_000 }).default(1),
  /** AWS: ScalingConfig.MaximumConcurrency. */
  workerMaxConcurrency: whole({ min: 2, max: 1000 }).optional(),
  /** AWS: ProvisionedPollerConfig; aws-cdk-lib takes at most 2000. */
  workerMinPollers: whole({ min: 2, max: 200 }).optional(),
  workerMaxPollers: whole({ min: 2, max: 2000 }).optional(),
  tickReservedConcurrency: whole(RESERVED).optional(),
  relayReservedConcurrency: whole(RESERVED).optional(),
  sweepReservedConcurrency: whole(RESERVED).optional(),
  apiReservedConcurrency: whole(RESERVED).optional(),
  workerMemoryMb: whole(MEMORY).default(FUNCTIONS.worker.memoryMb),
  tickMemoryMb: whole(MEMORY).default(FUNCTIONS.tick.memoryMb),
  /** AWS: a new on-demand table or index takes 4,000; a table may have 40,000 unless its quota is raised. */
  warmWritesPerSecond: whole({ min: 4_000, max: 40_000 }).optional(),
  canary: flag().default(true),
  /** AWS: what an account takes in a Region, of all its APIs together, unless it is raised; bursts see http-api.ts. */
  apiRequestsPerSecond: whole({ min: 1, max: 10_000 }).default(50),
  kmsKeyArn: z
    .string({ error: 'must be text' })
    .regex(KEY_ARN, {
      error:
        'must be the ARN of a KMS key, not of an alias, such as ' +
        'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',
    })
    .optional(),
  jwtIssuer: z
    .url({
      protocol: /^https$/,
      error: 'must be an https URL, exactly as in the tokens, such as https://login.example.com/',
    })
    .optional(),
  jwtAudience: list(isWord, 'must be an audience without blanks').default([]),
  jwtReadScopes: list(isWord, 'must be a scope without blanks').default([]),
  jwtWriteScopes: list(isWord, 'must be a scope without blanks').default([]),
  httpAllowedRanges: list(isCidr, 'must be a CIDR range such as 10.1.0.0/16').default([]),
  allowedTargets: list(
    isTargetEntry,
    'must be the ARN of a Lambda function, SQS queue, SNS topic, event bus or state machine, such as ' +
      'arn:aws:sqs:eu-west-1:123456789012:orders-*, or a host, such as api.example.com or *.example.com',
  ).default([]),
  allowedSecrets: list(
    isSecretEntry,
    'must be the ARN of a secret of Secrets Manager, a parameter of Systems Manager or a KMS key, such as ' +
      'arn:aws:secretsmanager:eu-west-1:123456789012:secret:crm/*',
  ).default([]),
});

const configSchema = fields
  .superRefine((config, context) => {
    const refuse = (key: string, message: string) =>
      context.addIssue({ code: 'custom', path: [key], message });
    if (config.planWindowSeconds < config.leadSeconds) {
      refuse('planWindowSeconds', `must not be below leadSeconds, which is ${config.leadSeconds}`);
    }
    const { workerMinPollers: least, workerMaxPollers: most } = config;
    const lists = [config.allowedTargets, config.allowedSecrets, config.httpAllowedRanges];
    const bytes = lists.map((entries) => entries.join(',').length).reduce((sum, length) => sum + length);
    if (bytes > LIMITS.environmentLists) {
      refuse(
        'allowedTargets',
        `must have at most ${LIMITS.environmentLists} bytes together with allowedSecrets and httpAllowedRanges, since ` +
          `Lambda's environment has 4 KB; they have ${bytes}. Wildcards make it shorter`,
      );
    }
    if (least !== undefined && most === undefined)
      refuse('workerMaxPollers', 'must be set with workerMinPollers');
    if (least === undefined && most !== undefined)
      refuse('workerMinPollers', 'must be set with workerMaxPollers');
    if (least !== undefined && most !== undefined && most < least) {
      refuse('workerMaxPollers', `must not be below workerMinPollers, which is ${least}`);
    }
    if (least !== undefined && config.workerMaxConcurrency !== undefined) {
      refuse(
        'workerMaxConcurrency',
        'cannot be set together with provisioned pollers; AWS takes one or the other',
      );
    }
    const { tickReservedConcurrency: ticks, shardCount, shardsPerInvocation } = config;
    const fannedOut = Math.ceil(shardCount / shardsPerInvocation);
    // The one that fans out has ended by the time that the others begin, but for a moment.
    if (ticks !== undefined && ticks < fannedOut) {
      refuse(
        'tickReservedConcurrency',
        `must not be below ${fannedOut}, which is how many ticks ${shardCount} shards make at ${shardsPerInvocation} each`,
      );
    }
    if (config.alarmEmail !== undefined && !config.monitoring) {
      refuse('alarmEmail', 'cannot be set without monitoring, which has the alarms');
    }
    const { jwtIssuer, jwtAudience, jwtReadScopes, jwtWriteScopes } = config;
    if (jwtIssuer !== undefined && jwtAudience.length === 0) {
      // Any token of the issuer, made for whatever service, would open the API.
      refuse('jwtAudience', 'must be set with jwtIssuer');
    }
    if (
      jwtIssuer === undefined &&
      [jwtAudience, jwtReadScopes, jwtWriteScopes].some(({ length }) => length > 0)
    ) {
      refuse('jwtIssuer', 'must be set with jwtAudience and scopes');
    }
    if (jwtReadScopes.length > 0 && jwtWriteScopes.length === 0) {
      refuse('jwtWriteScopes', 'must be set with jwtReadScopes, or writing would take less than reading');
    }
  })
  .transform(({ workerMaxConcurrency, ...config }) => {
    const most =
      workerMaxConcurrency ?? (config.workerMinPollers === undefined ? WORKER_MAX_CONCURRENCY : undefined);
    return { ...config, ...(most !== undefined && { workerMaxConcurrency: most }) };
  });

/** What the app's context says. */
export type StackConfig = z.output<typeof configSchema>;

/** What the construct and its parts are made from: the settings of a deployment, with the key itself in place of its ARN. */
export type Config = Omit<StackConfig, 'stackName' | 'kmsKeyArn'> & {
  /** Tells this deployment's metrics, alarms and API from those of others. */
  readonly name: string;
  readonly encryptionKey?: IKey;
};

/** The names of all settings. */
export const CONFIG_KEYS = Object.keys(fields.shape);

/** Reads the configuration out of the app's context; throws one sentence for each fault. */
export function parseConfig(context: Readonly<Record<string, unknown>>): StackConfig {
  const own = Object.entries(context).filter(([key]) => key.startsWith(CONTEXT_PREFIX));
  const given = Object.fromEntries(own.map(([key, value]) => [key.slice(CONTEXT_PREFIX.length), value]));
  return parseSettings(given, CONTEXT_PREFIX);
}

/** The same checks and defaults for settings from elsewhere, which messages show with the prefix that they have there. */
export function parseSettings(given: Readonly<Record<string, unknown>>, prefix: string): StackConfig {
  const parsed = configSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.flatMap((issue) => sentences(issue, given, prefix)).join('\n'));
}

function sentences(
  issue: z.core.$ZodIssue,
  given: Readonly<Record<string, unknown>>,
  prefix: string,
): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${prefix}${key} is not a setting; there are ${CONFIG_KEYS.join(', ')}.`);
  }
  const [key = '', index] = issue.path;
  const whole = given[String(key)];
  const value = index === undefined ? whole : (splitText(whole) as unknown[])[Number(index)];
  const shown = value === undefined ? 'is not set' : `is ${JSON.stringify(value)}`;
  return [`${prefix}${String(key)} ${shown}; it ${issue.message}.`];
}
