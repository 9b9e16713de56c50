import * as z from 'zod';
import { isSecretEntry, isTargetEntry } from './allow/allow-list.ts';
import { MAX_DELAY_SECONDS } from './topology.ts';

/**
 * One schema per function. The CDK types each function's `environment` by it, the embedded run fills it,
 * and the handler parses it once at cold start: a missing or odd value stops the function with its name.
 */
const count = (minimum: number, maximum: number) => z.coerce.number().int().min(minimum).max(maximum);

/** Text that commas divide; empty text is an empty list. */
const listOf = (isValid: (text: string) => boolean) =>
  z
    .string()
    .transform((text) => text.split(',').filter((part) => part !== ''))
    .pipe(z.array(z.string().refine(isValid)));

/** Bounds of settings that more than one place checks (the CDK context and the environment). */
export const LIMITS = {
  shardCount: { min: 1, max: 256 },
  /** Seconds. Below one tick period a schedule could come due between two ticks. */
  lead: { min: 60, max: 600 },
  /** Seconds. What is planned further ahead than SQS can delay a message would come back early. */
  planWindow: { min: 60, max: MAX_DELAY_SECONDS },
  retentionDays: { min: 1, max: 3650 },
  /** Seconds. Renewed at a third of it. */
  lease: { min: 6, max: 900 },
  redispatch: { min: 5, max: 3600 },
  /**
   * Bytes of the lists that a function is handed. Lambda allows a function 4 KB of environment; the rest of it has
   * at most some 1,200 (AWS: gettingstarted-limits).
   */
  environmentLists: 2800,
} as const;

const tables = {
  SCHEDULES_TABLE_NAME: z.string().min(1),
  OCCURRENCES_TABLE_NAME: z.string().min(1),
};
const shards = { SHARD_COUNT: count(LIMITS.shardCount.min, LIMITS.shardCount.max) };
const retention = { RETENTION_DAYS: count(LIMITS.retentionDays.min, LIMITS.retentionDays.max) };
/** Comma-separated, as the deployer named them (lambdas/contract/allow). */
const allowed = { ALLOWED_TARGETS: listOf(isTargetEntry), ALLOWED_SECRETS: listOf(isSecretEntry) };
const planning = {
  LEAD_SECONDS: count(LIMITS.lead.min, LIMITS.lead.max),
  PLAN_WINDOW_SECONDS: count(LIMITS.planWindow.min, LIMITS.planWindow.max),
};

export const tickEnv = z.object({
  ...tables,
  ...shards,
  ...planning,
  ...retention,
  /** More shards than this and the tick invokes itself with lists of so many. */
  SHARDS_PER_INVOCATION: count(1, 256),
});

export const relayEnv = z.object({ WORK_QUEUE_URL: z.url() });

export const workerEnv = z.object({
  ...tables,
  ...shards,
  ...retention,
  WORK_QUEUE_URL: z.url(),
  DEAD_LETTER_QUEUE_URL: z.url(),
  LEASE_SECONDS: count(LIMITS.lease.min, LIMITS.lease.max),
  ...allowed,
  /**
   * Comma-separated CIDR ranges that http targets may reach although they are not public
   * (`127.0.0.0/8,::1/128` in the embedded run). Empty in a deployed stack.
   */
  HTTP_ALLOWED_RANGES: z.string(),
});

export const sweepEnv = z.object({
  ...tables,
  ...shards,
  ...retention,
  /** It says how many messages it holds: what is merely queued is not handed over again. */
  WORK_QUEUE_URL: z.url(),
  REDISPATCH_SECONDS: count(LIMITS.redispatch.min, LIMITS.redispatch.max),
  /** Whether a schedule of our own is to prove each minute that the pipeline works. */
  CANARY: z.enum(['true', 'false']).transform((text) => text === 'true'),
});

export const apiEnv = z.object({ ...tables, ...shards, ...planning, ...retention, ...allowed });

export type TickEnv = z.infer<typeof tickEnv>;
export type RelayEnv = z.infer<typeof relayEnv>;
export type WorkerEnv = z.infer<typeof workerEnv>;
export type SweepEnv = z.infer<typeof sweepEnv>;
export type ApiEnv = z.infer<typeof apiEnv>;

/** Environment variables as the CDK and the embedded run must give them: every key, all text. */
export type EnvironmentOf<Env> = { readonly [Key in keyof Env]: string };

/** Parses a function's environment; the error names each variable at fault. */
export function parseEnv<Schema extends z.ZodType>(
  schema: Schema,
  source: Readonly<Record<string, string | undefined>>,
): z.infer<Schema> {
  const parsed = schema.safeParse(source);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`The environment of this function is not usable. ${faults.join('; ')}`);
}
