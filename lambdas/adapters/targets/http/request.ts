import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { SECOND } from '../../../core/time.ts';
import type { AddressGuard } from './address-guard.ts';
import type { Connections } from './connections.ts';

/** Bytes of an answer that are read; the rest is not waited for. */
const MAX_BODY_BYTES = 64 * 1024;
/** Milliseconds that the rest of an answer is waited for once its status is there. */
const BODY_WITHIN = 5 * SECOND;
const SWITCHING_PROTOCOLS = 101;

export interface HttpRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The beginning of the body, as it came: what is compressed stays so. */
  readonly text: string;
}

export type SendRequest = (request: HttpRequest, signal: AbortSignal) => Promise<HttpAnswer>;

/** A connection that ended before anything of the request was written to it: sending it again is the first time. */
class UnsentError extends Error {
  override readonly name = 'UnsentError';
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/**
 * Sends one request and reads a bounded part of its answer. The address that is connected to has passed the guard,
 * redirects are not followed, and certificates are verified whatever NODE_TLS_REJECT_UNAUTHORIZED says. It settles
 * when `signal` aborts, whatever the other side does.
 */
export function createRequestSender(
  guard: AddressGuard,
  connections: Connections,
  bodyWithin: number = BODY_WITHIN,
): SendRequest {
  async function post(
    { url: text, method, headers, body }: HttpRequest,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    signal.throwIfAborted();
    const url = new URL(text);
    guard.assertHost(url.hostname);
    const agent = connections.agentFor(url.protocol);
    const options = { method, headers, lookup: guard.lookup, agent };
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options);
    const answer = answerOf(request, signal, bodyWithin);
    request.end(body);
    return answer;
  }

  return async (request, signal) => {
    try {
      return await post(request, signal);
    } catch (error) {
      if (!(error instanceof UnsentError)) throw error;
      return await post(request, signal);
    }
  };
}

/**
 * Settles with the first of these: a status, which decides whatever becomes of the body; an answer that leads to
 * another protocol; a fault; the end of the connection, which node does not always call a fault; the abort.
 */
function answerOf(request: ClientRequest, signal: AbortSignal, bodyWithin: number): Promise<HttpAnswer> {
  const isUnsent = watchUnsent(request);
  return new Promise<HttpAnswer>((resolve, reject) => {
    let answered = false;
    const fail = (error: unknown) => {
      if (!answered) reject(error);
    };
    const onAbort = () => {
      fail(signal.reason);
      request.destroy();
    };
    signal.addEventListener('abort', onAbort, { once: true });

    request.once('response', (response) => {
      answered = true;
      const { statusCode: status = 0, headers } = response;
      readBounded(response, bodyWithin, signal).then((text) => resolve({ status, headers, text }));
      // What follows on this connection is of a protocol that nobody agreed to.
      if (status === SWITCHING_PROTOCOLS) request.destroy();
    });
    // Without a listener node would close the connection and call it neither an answer nor a fault.
    request.once('upgrade', ({ headers }, socket) => {
      socket.destroy();
      resolve({ status: SWITCHING_PROTOCOLS, headers, text: '' });
    });
    // Several may come, some after the answer, and none may find no listener.
    request.on('error', (error) => fail(isUnsent() ? new UnsentError(error) : error));
    request.once('close', () => {
      signal.removeEventListener('abort', onAbort);
      fail(new Error('The connection ended without an answer.'));
    });
  });
}

/**
 * Whether a connection that was kept open turned out to be closed before a byte of this request was given to it.
 * What has been written may have been acted on, however the connection ended: that is never sent again.
 */
function watchUnsent(request: ClientRequest): () => boolean {
  let socket: Socket | undefined;
  let before = 0;
  request.once('socket', (given) => {
    socket = given;
    before = given.bytesWritten;
  });
  return () => request.reusedSocket && (socket?.bytesWritten ?? 0) === before;
}

/** What has come of the body when there is enough of it, its time is up, or it breaks off. */
async function readBounded(response: IncomingMessage, within: number, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = () => response.destroy();
  const timer = setTimeout(stop, within);
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      // Leaving the loop destroys the stream, and with it a connection that would go on sending.
      if (size >= MAX_BODY_BYTES) break;
    }
  } catch {
    // Cut short, wrongly framed, reset or late: the status has decided already.
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString('utf8');
}
