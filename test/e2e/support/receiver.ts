import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { ProbeInput } from '../targets/probe.ts';
import type { Arrival } from './arrivals.ts';

interface Payload extends Omit<Arrival, 'at' | 'scheduledTime'> {
  readonly scheduledTime: string;
}

export interface Receiver {
  readonly url: string;
  close(): Promise<void>;
}

/** An http target on this machine; answers as the input of the schedule asks. */
export async function startReceiver(add: (arrival: Arrival) => void): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const at = Date.now();
    const payload = (await json(request)) as Payload;
    add({ ...payload, at, scheduledTime: Date.parse(payload.scheduledTime) });
    const { failures = 0 } = (payload.input ?? {}) as ProbeInput;
    response.statusCode = payload.attempt <= failures ? 503 : 200;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
