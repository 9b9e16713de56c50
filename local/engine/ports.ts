import { createServer } from 'node:net';
import { LocalRunError } from '../errors.ts';

/** Everything the embedded run listens on is for this machine only. */
export const LOOPBACK = '127.0.0.1';

/** A port that was free a moment ago. Whoever uses it must be ready to find it taken, and ask again. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, LOOPBACK, resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  return address.port;
}

/** Listens, or says plainly that the port is taken. */
export function listen(
  server: {
    once(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
    listen(port: number, host: string, listener: () => void): unknown;
  },
  port: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new LocalRunError(
              `Port ${port} is taken: stop what listens there, or choose another with --port.`,
            )
          : error,
      ),
    );
    server.listen(port, LOOPBACK, () => resolve());
  });
}
