/**
 * The one error class of Punctual. `code` is stable and dotted (`expression.invalid`, `schedule.not-found`);
 * callers switch on it, people read `message`, which names the bad value and the way out.
 */
export class PunctualError extends Error {
  override readonly name = 'PunctualError';
  readonly code: ErrorCode;
  /** The request field at fault, dotted (`retry.maxAttempts`); absent when no single field is. */
  readonly field: string | undefined;
  /** The value that was refused, when it is short enough to show. */
  readonly value: unknown;

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.code = code;
    this.field = detail.field;
    this.value = detail.value;
  }
}

export interface ErrorDetail {
  readonly field?: string;
  readonly value?: unknown;
  readonly cause?: unknown;
}

/** Every code that Punctual raises. The API maps each to one HTTP status (lambdas/api/http/problem.ts). */
export type ErrorCode =
  // The time text cannot be read, can never fire, or means two things.
  | 'expression.empty'
  | 'expression.too-long'
  | 'expression.invalid'
  | 'expression.ambiguous-dialect'
  | 'expression.never-fires'
  | 'expression.out-of-range'
  | 'expression.local-time-missing'
  | 'target.not-allowed'
  | 'secret.not-allowed'
  | 'timezone.unknown'
  | 'request.invalid'
  | 'request.unknown-field'
  | 'request.too-large'
  | 'request.not-json'
  | 'request.media-type'
  | 'cursor.invalid'
  | 'schedule.not-found'
  | 'schedule.exists'
  | 'schedule.stale'
  | 'schedule.busy'
  | 'schedule.many-decisions'
  | 'calendar.not-found'
  | 'calendar.in-use'
  | 'calendar.stale'
  | 'calendar.busy'
  | 'occurrence.not-found'
  | 'occurrence.finished'
  | 'occurrence.not-finished'
  | 'occurrence.deleted-schedule'
  | 'occurrence.not-coming'
  | 'occurrence.stale-token'
  | 'occurrence.busy'
  | 'group.limit'
  | 'group.busy'
  | 'backfill.not-found'
  | 'backfill.finished'
  | 'idempotency.mismatch'
  | 'route.not-found'
  | 'route.method-not-allowed'
  | 'store.unavailable'
  | 'config.invalid'
  | 'startup.failed';

export function isPunctualError(error: unknown): error is PunctualError {
  return error instanceof PunctualError;
}

/** The end of an exhaustive `switch`: a new member of the union is a compile error here. */
export function assertNever(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`);
}
