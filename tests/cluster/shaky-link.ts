import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The way from a host to its database, which can be cut, or go silent without an end. */
export interface ShakyLink {
  readonly port: number;
  /** Ends all connections. New ones can be opened at once. */
  cut(): void;
  /** Passes nothing on any more on the connections that are open, and ends none of them. */
  silence(): void;
  close(): Promise<void>;
}

export async function shakyLink(to: () => number): Promise<ShakyLink> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((client) => {
    const upstream = connect(to(), '127.0.0.1');
    const pair = [client, upstream] as const;
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of pair) socket.setNoDelay(true).on('error', end).on('close', end);
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      for (const [client, upstream] of [...pairs]) {
        client.destroy();
        upstream.destroy();
      }
    },
    silence() {
      for (const [client, upstream] of pairs) {
        client.unpipe();
        upstream.unpipe();
        client.pause();
        upstream.pause();
      }
    },
    async close() {
      server.close();
      for (const [client, upstream] of [...pairs]) {
        client.destroy();
        upstream.destroy();
      }
    },
  };
}
