import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Resolves once `count` requests have come. */
  count(count: number): Promise<void>;
  close(): Promise<void>;
}

/** An http server that keeps what it is sent and answers as `answer` says; 200 when it says nothing. */
export async function startReceiver(
  answer: (request: Received, response: ServerResponse) => void = (_, response) => response.end('ok'),
): Promise<Receiver> {
  const received: Received[] = [];
  let watchers: { readonly count: number; readonly notify: () => void }[] = [];
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const one = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    received.push(one);
    for (const { notify } of watchers.filter(({ count }) => count <= received.length)) notify();
    watchers = watchers.filter(({ count }) => count > received.length);
    answer(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    count: (count) =>
      received.length >= count
        ? Promise.resolve()
        : new Promise((notify) => watchers.push({ count, notify })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
