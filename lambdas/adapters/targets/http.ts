import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { CallResult, Invocation } from '../../core/ports.ts';
import type { HttpTarget } from '../../core/schedule.ts';
import { type EpochMs, SECOND, toIso } from '../../core/time.ts';
import { type AddressGuard, ForbiddenAddressError } from './address-guard.ts';
import { messageOf, payloadOf } from './payload.ts';

/** Bytes of an answer that are read; the rest is not waited for. */
const MAX_RESPONSE_BYTES = 64 * 1024;
/** Characters of an answer that go into the attempt log. */
const EXCERPT = 150;
/** Answers that a later attempt may change (design, section 5). */
const GONE = 410;
const RETRYABLE_STATUS = new Set([408, 425, 429]);

/**
 * Calls an http target once. 2xx is success; 408, 425, 429, 5xx and faults of the network may be tried again;
 * any other answer, redirects included, fails at once, and 410 pauses the schedule. Redirects are not followed: where one leads was not
 * checked when the schedule was made.
 */
export function createHttpCaller(guard: AddressGuard) {
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

  return async function call(
    target: HttpTarget,
    invocation: Invocation,
    now: EpochMs,
    signal: AbortSignal,
  ): Promise<CallResult> {
    const body = payloadOf(invocation);
    const send = () => post(agents, guard, target, headersOf(target, invocation, now, body), body, signal);
    try {
      return resultOf(
        await send().catch((error) => (isStaleConnection(error) ? send() : Promise.reject(error))),
        now,
      );
    } catch (error) {
      const cause = signal.aborted && signal.reason instanceof Error ? signal.reason : error;
      return {
        kind: 'failed',
        retryable: !(error instanceof ForbiddenAddressError),
        detail: messageOf(cause),
      };
    }
  };
}

function headersOf(target: HttpTarget, invocation: Invocation, now: EpochMs, body: string) {
  return {
    ...target.headers,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'punctual/0.1',
    'idempotency-key': invocation.idempotencyKey,
    // Standard Webhooks: the id is the same for every attempt, the timestamp is the attempt's, in seconds.
    'webhook-id': invocation.idempotencyKey,
    'webhook-timestamp': String(Math.floor(now / SECOND)),
    'punctual-scheduled-time': toIso(invocation.scheduledTime),
    'punctual-attempt': String(invocation.attempt),
    'punctual-fencing-token': String(invocation.fencingToken),
    ...(invocation.completionToken !== undefined && {
      'punctual-completion-token': invocation.completionToken,
    }),
  };
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The receiver says that it goes on: it will complete or fail the attempt through the API. */
  readonly asynchronous: boolean;
  readonly text: string;
}

function post(
  agents: { http: HttpAgent; https: HttpsAgent },
  guard: AddressGuard,
  target: HttpTarget,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<Answer> {
  const url = new URL(target.url);
  guard.assertHost(url.hostname);
  const secure = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const request = (secure ? httpsRequest : httpRequest)(
      url,
      {
        method: target.method,
        headers,
        signal,
        lookup: guard.lookup,
        agent: secure ? agents.https : agents.http,
      },
      (response) => {
        const { statusCode: status = 0, headers: answered } = response;
        const asynchronous = String(answered['punctual-completion'] ?? '').toLowerCase() === 'async';
        readBounded(response).then(
          (text) => resolve({ status, retryAfter: answered['retry-after'], asynchronous, text }),
          reject,
        );
      },
    );
    request.on('error', (error) => reject(Object.assign(error, { reusedSocket: request.reusedSocket })));
    request.end(body);
  });
}

/** A kept-alive connection that the server closed as we wrote to it. Nothing was answered: a new one is tried once. */
function isStaleConnection(error: NodeJS.ErrnoException & { reusedSocket?: boolean }): boolean {
  return error.reusedSocket === true && error.code === 'ECONNRESET';
}

async function readBounded(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop destroys the stream, and with it a connection that would go on sending.
    if (size >= MAX_RESPONSE_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString('utf8');
}

function resultOf({ status, retryAfter, asynchronous, text }: Answer, now: EpochMs): CallResult {
  if (status === 202 && asynchronous) return { kind: 'accepted', detail: 'HTTP 202' };
  if (status >= 200 && status < 300) return { kind: 'succeeded', detail: `HTTP ${status}` };
  const excerpt = text.slice(0, EXCERPT).trim();
  const retryAfterMs = retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, now);
  return {
    kind: 'failed',
    retryable: RETRYABLE_STATUS.has(status) || status >= 500,
    detail: excerpt ? `HTTP ${status}: ${excerpt}` : `HTTP ${status}`,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(status === GONE && { pauses: true as const }),
  };
}

/** RFC 9110, section 10.2.3: seconds, or an HTTP date. */
export function parseRetryAfter(value: string, now: EpochMs): number | undefined {
  if (/^\d{1,9}$/.test(value)) return Number(value) * SECOND;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
