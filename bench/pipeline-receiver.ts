import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOOPBACK, listen } from '../local/engine/ports.ts';
import { closeServer, portOf } from '../local/engine/server.ts';

export interface Arrival {
  readonly at: number;
  readonly schedule: string;
  readonly scheduledTime: number;
  readonly attempt: number;
  readonly key: string;
}

export interface Receiver {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  /** True once `done` says so, false at the deadline. */
  until(done: () => boolean, deadline: number): Promise<boolean>;
  close(): Promise<void>;
}

/** Notes when each call arrives, before anything else, and answers 200 without a body. */
export async function startReceiver(): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  const server = createServer((request, response) => {
    const at = Date.now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(200).end();
      const key = request.headers['idempotency-key'];
      if (key === undefined) return;
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
        schedule: string;
        scheduledTime: string;
        attempt: number;
      };
      const scheduledTime = Date.parse(body.scheduledTime);
      arrivals.push({ at, schedule: body.schedule, scheduledTime, attempt: body.attempt, key: String(key) });
    });
  });
  await listen(server, 0);
  return {
    url: `http://${LOOPBACK}:${portOf(server)}/`,
    arrivals,
    async until(done, deadline) {
      while (!done()) {
        if (Date.now() > deadline) return false;
        await sleep(20);
      }
      return true;
    },
    close: () => closeServer(server),
  };
}
