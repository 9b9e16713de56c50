import type { Json } from '../json.ts';
import type { RecurrenceSpec } from '../recurrence/spec.ts';
import type { Target } from '../targets/index.ts';

/** Durations are ISO 8601 text in a definition and milliseconds wherever they are computed with. */
export interface RetryPolicy {
  /** Includes the first attempt. */
  readonly maxAttempts: number;
  /** Delay before the second attempt. */
  readonly initialDelay: string;
  /** Each further delay is this many times the one before. */
  readonly factor: number;
  /** No delay is longer. */
  readonly maxDelay: string;
  /** Share of the delay that hashed jitter may take off, 0 to 1. */
  readonly jitter: number;
  /** No attempt starts later than this after the occurrence was first due. */
  readonly maxAge: string;
}

/** What happens to nominal times that come late, whatever part of the pipeline was away (catch-up.ts). */
export interface CatchUpPolicy {
  readonly mode: 'skip' | 'latest' | 'all';
  /** Older missed times are not run. */
  readonly maxAge: string;
  /** `all` runs at most this many, the latest ones. */
  readonly maxRuns: number;
  /** What is run is spread evenly over this long. */
  readonly spreadOver: string;
}

/** The standing instruction as its owner wrote it, defaults filled in. Immutable once it is a revision. */
export interface Definition extends RecurrenceSpec {
  /** So many runs and it is completed; any number when absent. */
  readonly maxRuns?: number;
  readonly target: Target;
  readonly input: Json;
  readonly retry: RetryPolicy;
  /** An attempt that takes longer is aborted and counts as failed. */
  readonly timeout: string;
  /**
   * `callback`: a target that accepted the call has not finished; the attempt goes on under its lease until it is
   * completed or failed through the API with the completion token. `immediate` when absent.
   */
  readonly completion?: 'immediate' | 'callback';
  /** How long an attempt that was accepted, or claimed by pull, may stay silent; `timeout` when absent. */
  readonly heartbeatTimeout?: string;
  /** An occurrence that could not start within this time of its due time is missed, not run late. */
  readonly startDeadline?: string;
  readonly catchUp: CatchUpPolicy;
  /** What happens to an occurrence that comes due while another of this schedule runs. */
  readonly overlap: OverlapPolicy;
  /** A limit shared with other schedules that name the same key. */
  readonly concurrency?: Concurrency;
  /** How long finished occurrences are kept, `P30D`; as the deployment says when absent. */
  readonly retention?: string;
  /** So many failures in a row pause the schedule. */
  readonly pauseAfterFailures?: number;
  /** When nothing of it has succeeded for so long, an alarm is raised (watch.ts). */
  readonly expectSuccessWithin?: string;
  /** It has metrics of its own, under its group and name. */
  readonly metrics?: boolean;
  /** Once it has no time left and its last occurrence is finished, the schedule becomes a tombstone. */
  readonly deleteAfterCompletion?: boolean;
  readonly tags: Readonly<Record<string, string>>;
  readonly description?: string;
}

/** When it runs, without what happens then. */
export function timesOf(definition: RecurrenceSpec): RecurrenceSpec {
  const { expression, timezone, dst, dayRule, exclude, calendars, onExcluded, startAt, endAt, window } =
    definition;
  return {
    expression,
    timezone,
    ...(dst && { dst }),
    ...(dayRule && { dayRule }),
    ...(exclude && { exclude }),
    ...(calendars && { calendars }),
    ...(onExcluded && { onExcluded }),
    ...(startAt !== undefined && { startAt }),
    ...(endAt !== undefined && { endAt }),
    ...(window !== undefined && { window }),
  };
}

/** `at(…)`: it has one time only. */
export function isOneShot({ expression }: Pick<RecurrenceSpec, 'expression'>): boolean {
  return typeof expression === 'string' && /^\s*at\s*\(/i.test(expression);
}

/** What happens to an occurrence that comes due while another of its schedule runs. */
export type OverlapPolicy = 'allow' | 'skip' | 'buffer-one' | 'buffer-all' | 'cancel-other';

export const OVERLAP_POLICIES = [
  'allow',
  'skip',
  'buffer-one',
  'buffer-all',
  'cancel-other',
] as const satisfies readonly OverlapPolicy[];

/** A limit that several schedules share by naming the same key. */
export interface Concurrency {
  readonly key: string;
  readonly limit: number;
}

/** Days of `P30D`; undefined for text that is not a number of days. */
export function retentionDays(text: string): number | undefined {
  const match = /^P(\d{1,5})D$/.exec(text);
  return match ? Number(match[1]) : undefined;
}
