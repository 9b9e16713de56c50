import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOOPBACK, listen } from '../../local/engine/ports.ts';
import { closeServer, portOf } from '../../local/engine/server.ts';
import { readBody } from '../../local/gateway/body.ts';

export interface Arrival {
  readonly at: number;
  readonly schedule: string;
  readonly scheduledTime: number;
  readonly attempt: number;
  readonly key: string;
  readonly fencingToken: number;
}

export interface Receiver {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  answerWith(status: (call: Arrival) => number): void;
  /** Calls for which a promise comes back are answered once it resolves. */
  holdUntil(hold: (call: Arrival) => Promise<void> | undefined): void;
  /** True once `done` says so, false at the deadline. */
  until(done: () => boolean | Promise<boolean>, deadline: number): Promise<boolean>;
  close(): Promise<void>;
}

/** An http target that notes when each call arrives, before anything else. */
export async function startReceiver(): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  let statusOf = (_: Arrival): number => 200;
  let holdOf = (_: Arrival): Promise<void> | undefined => undefined;
  const server = createServer(async (request, response) => {
    const at = Date.now();
    const body = await readBody(request, 1024 * 1024);
    const call = arrivalOf(request, body.toString(), at);
    if (call) arrivals.push(call);
    if (call) await holdOf(call);
    response.writeHead(call ? statusOf(call) : 200).end();
  });
  await listen(server, 0);
  return {
    url: `http://${LOOPBACK}:${portOf(server)}/`,
    arrivals,
    answerWith(status) {
      statusOf = status;
    },
    holdUntil(hold) {
      holdOf = hold;
    },
    async until(done, deadline) {
      while (!(await done())) {
        if (Date.now() > deadline) return false;
        await sleep(20);
      }
      return true;
    },
    async close() {
      server.closeAllConnections();
      await closeServer(server);
    },
  };
}

function arrivalOf({ headers }: IncomingMessage, text: string, at: number): Arrival | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  const body = JSON.parse(text) as Omit<Arrival, 'at' | 'key' | 'scheduledTime'> & { scheduledTime: string };
  return {
    at,
    schedule: body.schedule,
    scheduledTime: Date.parse(body.scheduledTime),
    attempt: body.attempt,
    key: String(key),
    fencingToken: body.fencingToken,
  };
}
