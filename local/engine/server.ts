import type { Server } from 'node:http';

export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('The server does not listen on a port.');
  return address.port;
}

/** Milliseconds between looks for connections that have become idle. */
const LOOK_EVERY = 50;

/** Takes no new connections, lets requests under way finish, and drops connections that are merely kept alive. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const look = setInterval(() => server.closeIdleConnections(), LOOK_EVERY);
    server.close(() => {
      clearInterval(look);
      resolve();
    });
    server.closeIdleConnections();
  });
}
