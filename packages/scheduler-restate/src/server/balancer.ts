import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Spreads the connections of Restate over the hosts of a pool on this machine. In production, a real one does this. */
interface Balancer {
  readonly url: string;
  stop(): Promise<void>;
}

/** `ports` are those of the hosts, in turn. A host that does not accept the connection is passed over. */
export async function startBalancer(ports: () => readonly number[]): Promise<Balancer> {
  const open = new Set<Socket>();
  let turn = 0;

  function passOn(client: Socket, left: number): void {
    const all = ports();
    const port = all[turn++ % Math.max(1, all.length)];
    if (port === undefined || left === 0) {
      client.destroy();
      return;
    }
    const host = connect(port, '127.0.0.1');
    let isConnected = false;
    track(host);
    host.once('connect', () => {
      isConnected = true;
      client.pipe(host).pipe(client);
    });
    host.once('close', () => (isConnected ? client.destroy() : passOn(client, left - 1)));
    client.once('close', () => host.destroy());
  }

  function track(socket: Socket): void {
    open.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.once('close', () => open.delete(socket));
  }

  const server = createServer((client) => {
    track(client);
    passOn(client, ports().length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
