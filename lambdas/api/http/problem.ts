import { HTTPException } from 'hono/http-exception';
import { type ErrorCode, isPunctualError, type PunctualError } from '../../core/errors.ts';
import { LimitReached } from '../../core/schedule/group.ts';
import type { ErrorLog } from '../deps.ts';
import { InvalidRequest } from '../request/field-faults.ts';
import { quoteValue } from '../request/quote-value.ts';
import { PROBLEM_MEDIA_TYPE, type Problem } from './problem-schema.ts';

/** The one status of every code. 4xx: another request would do; 503: the same one would, later. */
export const STATUS: Readonly<Record<ErrorCode, number>> = {
  'expression.empty': 400,
  'expression.too-long': 400,
  'expression.invalid': 400,
  'expression.ambiguous-dialect': 400,
  'expression.never-fires': 400,
  'expression.out-of-range': 400,
  'expression.local-time-missing': 400,
  'timezone.unknown': 400,
  'target.not-allowed': 400,
  'secret.not-allowed': 400,
  'request.invalid': 400,
  'request.unknown-field': 400,
  'request.not-json': 400,
  'request.media-type': 415,
  'request.too-large': 413,
  'cursor.invalid': 400,
  'schedule.not-found': 404,
  'calendar.not-found': 404,
  'calendar.in-use': 409,
  'calendar.stale': 412,
  'calendar.busy': 503,
  'occurrence.not-found': 404,
  'group.limit': 429,
  'group.busy': 503,
  'backfill.not-found': 404,
  'route.not-found': 404,
  'route.method-not-allowed': 405,
  'schedule.exists': 409,
  'occurrence.finished': 409,
  'occurrence.not-finished': 409,
  'occurrence.deleted-schedule': 409,
  'occurrence.not-coming': 409,
  'occurrence.stale-token': 409,
  'occurrence.busy': 503,
  'backfill.finished': 409,
  'schedule.stale': 412,
  'idempotency.mismatch': 422,
  'schedule.busy': 503,
  'schedule.many-decisions': 409,
  'store.unavailable': 503,
  // Raised when a function or the local run starts; none has a caller to answer.
  'config.invalid': 500,
  'startup.failed': 500,
};

export const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Answers an error as RFC 9457 has it. What nobody expected is logged, and shown only by its request id. */
export function problemResponse(error: Error, requestId: string, logger: ErrorLog): Response {
  const problem = problemOf(known(error), requestId);
  if (problem.status >= 500) logger.error('A request failed.', { requestId, error });
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      'content-type': PROBLEM_MEDIA_TYPE,
      ...(problem.status === 503 && { 'retry-after': '1' }),
      ...(error instanceof LimitReached && { 'retry-after': String(error.retryAfter) }),
    },
  });
}

function known(error: Error): PunctualError | HTTPException | undefined {
  if (isPunctualError(error)) return error;
  return error instanceof HTTPException && error.status < 500 ? error : undefined;
}

function problemOf(error: PunctualError | HTTPException | undefined, requestId: string): Problem {
  if (isPunctualError(error)) {
    const status = statusOf(error);
    return {
      ...base(error.code, status, error.message, requestId),
      ...(error.field !== undefined && { field: error.field }),
      ...(error.value !== undefined && { value: quoteValue(error.value) }),
      ...(error instanceof LimitReached && { limit: error.reached }),
      ...(error instanceof InvalidRequest && error.faults.length > 1 && { errors: [...error.faults] }),
    };
  }
  // The router's own refusals. Our checks come before them, so this is a second line.
  if (error) return base('request.invalid', error.status, error.message, requestId);
  return base('internal', 500, 'Something went wrong here. The log has it under this request id.', requestId);
}

/** A calendar that a schedule names is a fault of the request; one that a path names is not there. */
function statusOf({ code, field }: PunctualError): number {
  return code === 'calendar.not-found' && field !== undefined ? 400 : STATUS[code];
}

function base(code: string, status: number, detail: string, requestId: string) {
  const title = TITLES[status] ?? 'Error';
  return { type: `urn:punctual:${code}`, title, status, detail, code, instance: requestId };
}
