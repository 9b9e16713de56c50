import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { LOOPBACK, listen } from '../engine/ports.ts';
import { closeServer, portOf } from '../engine/server.ts';
import { type LocalFunction, TaskTimedOut } from '../lambda/function.ts';
import { readBody } from './body.ts';
import { gatewayEvent } from './event.ts';
import {
  BAD_REQUEST,
  type GatewayResponse,
  gatewayResponse,
  INTERNAL_ERROR,
  TIMED_OUT,
  TOO_LARGE,
} from './response.ts';

/** AWS: the quota of an HTTP API. */
const MAX_BODY = 10 * 1024 * 1024;

export interface Gateway {
  readonly url: string;
  close(): Promise<void>;
}

/** Requests outside the API that the embedded run answers itself; true when it did. */
export type Beside = (request: IncomingMessage, response: ServerResponse) => boolean;

/** API Gateway's HTTP API with one `$default` route to a function. */
export async function startGateway(
  api: Pick<LocalFunction, 'invoke'>,
  port: number,
  options: { readonly onError: (message: string) => void; readonly beside?: Beside },
): Promise<Gateway> {
  const server = createServer((request, response) => {
    if (options.beside?.(request, response)) return;
    handle(api, request, options.onError).then(
      (answer) => write(request, response, answer),
      // The caller went away while sending.
      () => response.destroy(),
    );
  });
  await listen(server, port);
  return { url: `http://${LOOPBACK}:${portOf(server)}`, close: () => closeServer(server) };
}

async function handle(
  api: Pick<LocalFunction, 'invoke'>,
  request: IncomingMessage,
  onError: (message: string) => void,
): Promise<GatewayResponse> {
  const body = await readBody(request, MAX_BODY);
  if (body === 'too-large') return TOO_LARGE;
  const event = gatewayEvent(request, body, request.socket.remoteAddress ?? LOOPBACK, Date.now());
  if (!event) return BAD_REQUEST;
  try {
    return gatewayResponse(await api.invoke(event));
  } catch (error) {
    onError(
      `${request.method} ${event.rawPath} failed: ${error instanceof Error ? error.message : String(error)}`,
    );
    return error instanceof TaskTimedOut ? TIMED_OUT : INTERNAL_ERROR;
  }
}

function write(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: GatewayResponse,
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('content-length', body.length);
  // A body that was not read to its end makes the connection useless for another request.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(status).end(request.method === 'HEAD' ? undefined : body);
}
