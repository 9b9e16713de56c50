import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A server on the machine's loopback that does as `accept` says with each connection. */
export async function startTcp(accept: (socket: Socket, connection: number) => void) {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    accept(socket, sockets.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    sockets,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
