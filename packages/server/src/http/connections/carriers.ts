import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/**
 * With TLS, a request comes on a secure socket, and the server has accepted another socket that carries it. Both end
 * together. Connections are counted from the moment when they are accepted, so that a client that never completes
 * the handshake counts too.
 */
const carriers = new WeakMap<Socket, Socket>();

/** The socket that the server has accepted, for the socket of a request. Without TLS they are the same. */
export function carrierOf(socket: Socket): Socket {
  return carriers.get(socket) ?? socket;
}

/** The event that tells of a socket on which requests can come. */
export function readyEvent(server: Server): 'connection' | 'secureConnection' {
  return server instanceof TlsServer ? 'secureConnection' : 'connection';
}

/** Node.js does not say which socket carries a secure one, so the two are matched by their addresses. */
export function matchCarriers(server: Server): void {
  if (readyEvent(server) === 'connection') return;
  const accepted = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const ends = endsOf(socket);
    accepted.set(ends, socket);
    socket.once('close', () => {
      if (accepted.get(ends) === socket) accepted.delete(ends);
    });
  });
  server.on('secureConnection', (secure: Socket) => {
    const carrier = accepted.get(endsOf(secure));
    // A client that has disconnected has no address any more, and cannot be answered.
    if (carrier === undefined) secure.destroy();
    else carriers.set(secure, carrier);
  });
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return [remoteAddress, remotePort, localAddress, localPort].join(' ');
}
