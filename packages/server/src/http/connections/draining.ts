import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { carrierOf, readyEvent } from './carriers.ts';

/**
 * Ends the connections of a host that stops. A request that has arrived is answered, even if the host had not
 * read it yet when it was told to stop.
 */
export interface Draining {
  /** Begins to watch the connections of a server. */
  watch(server: Server): void;
  /** Stops listening, and resolves when all connections have ended. Each is ended after its next answer. */
  drain(): Promise<void>;
  /** True for a connection that can no longer carry an answer. A request on it must not be carried out. */
  isEnded(socket: Socket): boolean;
}

interface DrainingOptions {
  /**
   * A connection without a request is ended after this time. Its client may have sent a request that is still
   * on its way.
   */
  readonly quietMs: number;
  /** Connections whose requests are not answered by then are cut. */
  readonly patienceMs: number;
  readonly now: () => number;
}

interface Connection {
  readonly open: Set<ServerResponse>;
  /** The bytes that had been received when the last answer was complete. More bytes belong to a new request. */
  bytesAtRest: number;
  restingSince: number;
}

const SWEEP_MS = 10;

export function createDraining({ quietMs, patienceMs, now }: DrainingOptions): Draining {
  const connections = new Map<Socket, Connection>();
  const ended = new WeakSet<Socket>();
  let server: Server | undefined;
  let draining = false;

  function connected(socket: Socket, bytesAtRest = 0): void {
    connections.set(socket, { open: new Set(), bytesAtRest, restingSince: now() });
    socket.once('close', () => connections.delete(socket));
  }

  /** The bytes of a handshake are not those of a request, so they do not keep the connection. */
  function accepted(socket: Socket): void {
    connected(socket, Number.POSITIVE_INFINITY);
  }

  function secured(socket: Socket): void {
    connections.delete(carrierOf(socket));
    connected(socket);
  }

  function asked({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.open.add(response);
    if (draining) response.shouldKeepAlive = false;
    response.once('close', () => {
      connection.open.delete(response);
      connection.bytesAtRest = socket.bytesRead;
      connection.restingSince = now();
    });
  }

  /** Ends the client's wait first. A client that keeps its half open is cut. */
  function sweep(): void {
    for (const [socket, { open, bytesAtRest, restingSince }] of connections) {
      if (ended.has(socket)) {
        if (now() - restingSince >= 2 * quietMs) socket.destroy();
      } else if (open.size === 0 && socket.bytesRead <= bytesAtRest && now() - restingSince >= quietMs) {
        ended.add(socket);
        socket.end();
      }
    }
  }

  return {
    watch(watched) {
      server = watched.prependListener('request', asked);
      if (readyEvent(watched) === 'connection') watched.on('connection', (socket) => connected(socket));
      else watched.on('connection', accepted).on('secureConnection', secured);
    },
    isEnded: (socket) => ended.has(socket),
    async drain() {
      // Connections that clients have opened before are accepted: closing the socket would reset them.
      await turnOfTheLoop();
      await turnOfTheLoop();
      const closed = new Promise<void>((resolve) => {
        // The `close` of an HTTP server would cut all connections on which it has not read a request yet.
        if (server === undefined) resolve();
        else NetServer.prototype.close.call(server, () => resolve());
      });
      // Only now: a client whose connection ends connects again at once.
      draining = true;
      for (const connection of connections.values()) {
        for (const response of connection.open) response.shouldKeepAlive = false;
        connection.restingSince = now();
      }
      const sweeping = setInterval(sweep, SWEEP_MS);
      const cutOff = setTimeout(() => {
        for (const socket of connections.keys()) socket.destroy();
      }, patienceMs);
      await closed;
      clearInterval(sweeping);
      clearTimeout(cutOff);
    },
  };
}

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
