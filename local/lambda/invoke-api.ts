import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { LOOPBACK, listen } from '../engine/ports.ts';
import { closeServer, portOf } from '../engine/server.ts';
import { readBody } from '../gateway/body.ts';
import type { LocalFunction } from './function.ts';

/** AWS: 6 MB for a synchronous invocation. */
const MAX_PAYLOAD = 6 * 1024 * 1024;

const NOT_PLAYED =
  'The embedded run plays DynamoDB, SQS, SNS, the Invoke of Lambda and the reading of secrets; other services of AWS ' +
  'are not there.';

export interface InvokeApi {
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Lambda's Invoke, for code that calls functions by name: the tick's fan-out does, and so may targets. */
export async function startInvokeApi(
  find: (name: string) => LocalFunction | undefined,
  invokeAsync: (target: LocalFunction, event: unknown) => void,
): Promise<InvokeApi> {
  const server = createServer((request, response) => {
    answer(find, invokeAsync, request, response).catch((error: unknown) =>
      refuse(response, 500, 'ServiceException', error instanceof Error ? error.message : String(error)),
    );
  });
  await listen(server, 0);
  return { endpoint: `http://${LOOPBACK}:${portOf(server)}`, close: () => closeServer(server) };
}

async function answer(
  find: (name: string) => LocalFunction | undefined,
  invokeAsync: (target: LocalFunction, event: unknown) => void,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = /^\/2015-03-31\/functions\/([^/?]+)\/invocations\/?(?:\?.*)?$/.exec(request.url ?? '');
  if (request.method !== 'POST' || path?.[1] === undefined) {
    return refuse(response, 404, 'UnknownOperationException', NOT_PLAYED);
  }
  const asked = decodeURIComponent(path[1]);
  const target = find(functionName(asked));
  if (!target) return refuse(response, 404, 'ResourceNotFoundException', `Function not found: ${asked}`);

  const body = await readBody(request, MAX_PAYLOAD);
  if (body === 'too-large')
    return refuse(response, 413, 'RequestTooLargeException', 'The payload is over 6 MB.');
  let event: unknown;
  try {
    event = body.length === 0 ? {} : JSON.parse(body.toString('utf8'));
  } catch (error) {
    return refuse(response, 400, 'InvalidRequestContentException', `Could not parse request body: ${error}`);
  }
  const type = request.headers['x-amz-invocation-type'] ?? 'RequestResponse';
  if (type === 'DryRun') return send(response, 204, '');
  if (type === 'Event') {
    invokeAsync(target, event);
    return send(response, 202, '');
  }
  try {
    const result = await target.invoke(event);
    send(response, 200, JSON.stringify(result ?? null), { 'x-amz-executed-version': '$LATEST' });
  } catch (error) {
    const { name: errorType, message: errorMessage } =
      error instanceof Error ? error : new Error(String(error));
    send(response, 200, JSON.stringify({ errorType, errorMessage, trace: [] }), {
      'x-amz-function-error': 'Unhandled',
      'x-amz-executed-version': '$LATEST',
    });
  }
}

/** A name, `account:function:name` or a whole ARN, each perhaps with a qualifier. */
export function functionName(asked: string): string {
  const parts = asked.split(':');
  const marker = parts.lastIndexOf('function');
  return (marker < 0 ? parts[0] : parts[marker + 1]) ?? asked;
}

function refuse(response: ServerResponse, status: number, type: string, message: string): void {
  send(response, status, JSON.stringify({ Type: 'User', Message: message }), { 'x-amzn-errortype': type });
}

function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent) return;
  response
    .writeHead(status, { 'content-type': 'application/json', 'x-amzn-requestid': randomUUID(), ...headers })
    .end(body);
}
