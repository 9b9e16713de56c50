import type { CallResult } from '../../../core/ports/target-caller.ts';
import { type EpochMs, SECOND } from '../../../core/time.ts';
import type { HttpAnswer } from './request.ts';

/** Characters of an answer that go into the attempt log. */
const EXCERPT = 150;
/** Answers that a later attempt may change (docs/targets.md). */
const GONE = 410;
const RETRYABLE_STATUS = new Set([408, 425, 429]);

/** What an answer means for the attempt. `clean` is asked about all that the target said before any is kept. */
export function resultOf(answer: HttpAnswer, now: EpochMs, clean: (text: string) => string): CallResult {
  const { status, headers } = answer;
  // The receiver says that it goes on: it will complete or fail the attempt through the API.
  const asynchronous = String(headers['punctual-completion'] ?? '').toLowerCase() === 'async';
  if (status === 202 && asynchronous) return { kind: 'accepted', detail: 'HTTP 202' };
  if (status >= 200 && status < 300) return { kind: 'succeeded', detail: `HTTP ${status}` };
  const retryAfter = headers['retry-after'];
  const retryAfterMs = retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, now);
  return {
    kind: 'failed',
    retryable: RETRYABLE_STATUS.has(status) || status >= 500,
    detail: [`HTTP ${status}`, excerptOf(clean(saidIn(answer)))].filter(Boolean).join(': '),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(status === GONE && { pauses: true as const }),
  };
}

function saidIn({ status, headers, text }: HttpAnswer): string {
  if (status >= 300 && status < 400) return redirectOf(headers.location);
  // Of what is compressed there is nothing to read.
  return headers['content-encoding'] === undefined ? text : '';
}

/** Without the query, in which a server may hand on what is meant for the next one only. */
function redirectOf(location: string | undefined): string {
  const to = location === undefined ? '' : ` It leads to ${location.replace(/[?#].*$/s, '')}`;
  return `redirects are not followed; name the URL that answers.${to}`;
}

/** The beginning, on one line: what a server sends may hold anything. */
function excerptOf(text: string): string {
  return text
    .slice(0, EXCERPT)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
}

/** Longer than any wait that is ever granted. Seconds. */
const MAX_RETRY_AFTER = 1e9;
/** RFC 9110, section 5.6.7: the form of today, and two that are obsolete and have to be read. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}(,| [A-Z][a-z]{2}) .*\d{2}:\d{2}:\d{2}/;

/** RFC 9110, section 10.2.3: seconds, or an HTTP date. */
export function parseRetryAfter(value: string, now: EpochMs): number | undefined {
  if (/^\d+$/.test(value)) return Math.min(Number(value), MAX_RETRY_AFTER) * SECOND;
  if (!HTTP_DATE.test(value)) return undefined;
  const at = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
