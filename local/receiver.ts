import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from './gateway/body.ts';
import type { Beside } from './gateway/server.ts';

/** A target to try schedules out with, on the API's own port: its address is the same in the next run. */
export const RECEIVER_PATH = '/_local/receiver';
const MAX_BODY = 1024 * 1024;

export interface Received {
  readonly at: number;
  readonly schedule: string;
  readonly scheduledTime: number;
  readonly attempt: number;
  readonly idempotencyKey: string;
}

/** Answers 200 to whatever is sent there. */
export function createReceiver(onReceived: (received: Received) => void = () => {}): Beside {
  return (request, response) => {
    if (new URL(request.url ?? '/', 'http://localhost').pathname !== RECEIVER_PATH) return false;
    const at = Date.now();
    answer(request, response, at, onReceived).catch(() => response.destroy());
    return true;
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  at: number,
  onReceived: (received: Received) => void,
): Promise<void> {
  const body = await readBody(request, MAX_BODY);
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"received":true}');
  const received = body === 'too-large' ? undefined : read(request, body, at);
  if (received) onReceived(received);
}

function read({ headers }: IncomingMessage, body: Buffer, at: number): Received | undefined {
  try {
    const { schedule } = JSON.parse(body.toString('utf8')) as { schedule: unknown };
    return {
      at,
      schedule: String(schedule),
      scheduledTime: Date.parse(String(headers['punctual-scheduled-time'])),
      attempt: Number(headers['punctual-attempt']),
      idempotencyKey: String(headers['idempotency-key']),
    };
  } catch {
    return undefined;
  }
}
