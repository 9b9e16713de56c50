import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { SECOND } from '../../../core/time.ts';
import type { AddressGuard } from './address-guard.ts';

/** Bytes of an answer that are read; the rest is not waited for. */
const MAX_BODY_BYTES = 64 * 1024;
/** Milliseconds that the rest of an answer is waited for once its status is there. */
const BODY_WITHIN = 5 * SECOND;

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

/**
 * Sends one request and reads a bounded part of its answer. The address that is connected to has passed the guard,
 * redirects are not followed, and certificates are verified whatever NODE_TLS_REJECT_UNAUTHORIZED says.
 */
export function createRequestSender(guard: AddressGuard, bodyWithin: number = BODY_WITHIN): SendRequest {
  const agents = {
    'http:': new HttpAgent({ keepAlive: true }),
    'https:': new HttpsAgent({ keepAlive: true, rejectUnauthorized: true }),
  };

  async function post(
    { url: text, method, headers, body }: HttpRequest,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    const url = new URL(text);
    guard.assertHost(url.hostname);
    const secure = url.protocol === 'https:';
    const agent = agents[secure ? 'https:' : 'http:'];
    return new Promise((resolve, reject) => {
      const request = (secure ? httpsRequest : httpRequest)(
        url,
        { method, headers, signal, lookup: guard.lookup, agent },
        (response) => {
          const { statusCode: status = 0, headers: answered } = response;
          readBounded(response, bodyWithin).then(
            (read) => resolve({ status, headers: answered, text: read }),
            reject,
          );
        },
      );
      request.on('error', (error) => reject(Object.assign(error, { reusedSocket: request.reusedSocket })));
      request.end(body);
    });
  }

  return (request, signal) =>
    post(request, signal).catch((error) =>
      isStaleConnection(error) ? post(request, signal) : Promise.reject(error),
    );
}

/** A kept-alive connection that the server closed as we wrote to it. Nothing was answered: a new one is tried once. */
function isStaleConnection(error: NodeJS.ErrnoException & { reusedSocket?: boolean }): boolean {
  return error.reusedSocket === true && error.code === 'ECONNRESET';
}

/** What has come of the body when there is enough of it, or when its time is up: the status has decided already. */
async function readBounded(response: IncomingMessage, within: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    response.destroy();
  }, within);
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      // Leaving the loop destroys the stream, and with it a connection that would go on sending.
      if (size >= MAX_BODY_BYTES) break;
    }
  } catch (error) {
    if (!late) throw error;
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString('utf8');
}
