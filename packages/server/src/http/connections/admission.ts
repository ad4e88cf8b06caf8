import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BatonError } from '@baton/protocol';
import { rawErrorResponse } from '../errors.ts';
import { carrierOf, readyEvent } from './carriers.ts';
import { hangUp } from './client-errors.ts';
import type { ConnectionLimits } from './limits.ts';
import { isLoopbackAddress, networkOf } from './remote-address.ts';

/** Counts the connections of a host and decides which of them may use all routes. */
export interface Admission {
  /** Begins to count the connections of a server. */
  watch(server: Server): void;
  /** False for a connection of the reserve. Such a connection may use only the health routes. */
  isFullyAdmitted(socket: Socket): boolean;
  /** True when part of an answer was sent, so that no other answer may be written. */
  isAnswering(socket: Socket): boolean;
}

/**
 * Bounds the connections of a server, in total and from one address. When all are taken, the connection that
 * has waited longest without a request is cut, so that idle connections keep no caller out. When every
 * connection has a request under way, a new connection belongs to the reserve.
 */
export function createAdmission(limits: ConnectionLimits, lingerMs: number): Admission {
  const admitted = new Set<Socket>();
  /** Connections without a request under way; the one that has waited longest comes first. */
  const waiting = new Set<Socket>();
  const reserve = new Set<Socket>();
  const underWay = new Map<Socket, ServerResponse[]>();
  const fromNetwork = new Map<string, number>();

  function leave(socket: Socket, network: string): void {
    for (const list of [admitted, waiting, reserve, underWay]) list.delete(socket);
    countDown(fromNetwork, network);
  }

  function makeRoom(): boolean {
    const [longest] = waiting;
    if (longest === undefined) return false;
    waiting.delete(longest);
    admitted.delete(longest);
    longest.destroy();
    return true;
  }

  function takeIn(socket: Socket): void {
    if (admitted.size < limits.total || makeRoom()) {
      admitted.add(socket);
      waiting.add(socket);
      return;
    }
    const [oldest] = reserve;
    if (reserve.size >= limits.reserve && oldest !== undefined) {
      reserve.delete(oldest);
      oldest.destroy();
    }
    reserve.add(socket);
  }

  function connected(socket: Socket, isReady: boolean): void {
    const address = socket.remoteAddress;
    if (address === undefined) {
      // The client has already disconnected.
      socket.destroy();
      return;
    }
    const network = networkOf(address);
    const before = fromNetwork.get(network) ?? 0;
    if (before >= mostFrom(address, limits)) {
      refuse(socket, isReady, lingerMs);
      return;
    }
    fromNetwork.set(network, before + 1);
    takeIn(socket);
    socket.once('close', () => leave(socket, network));
  }

  function asked(request: IncomingMessage, response: ServerResponse): void {
    const socket = carrierOf(request.socket);
    waiting.delete(socket);
    const others = underWay.get(socket);
    if (others === undefined) underWay.set(socket, [response]);
    else others.push(response);
    response.once('close', () => {
      const left = underWay.get(socket)?.filter((other) => other !== response) ?? [];
      if (left.length > 0) underWay.set(socket, left);
      else {
        underWay.delete(socket);
        if (admitted.has(socket)) waiting.add(socket);
      }
    });
  }

  return {
    watch(server) {
      const isReady = readyEvent(server) === 'connection';
      server.on('connection', (socket) => connected(socket, isReady)).on('request', asked);
    },
    isFullyAdmitted: (socket) => reserve.size === 0 || !reserve.has(carrierOf(socket)),
    isAnswering: (socket) =>
      underWay.get(carrierOf(socket))?.some((response) => response.headersSent) ?? false,
  };
}

function mostFrom(address: string, { boundsLoopback, perAddress = Infinity }: ConnectionLimits): number {
  return boundsLoopback || !isLoopbackAddress(address) ? perAddress : Infinity;
}

/** Before the handshake of TLS, no answer can be written. */
function refuse(socket: Socket, isReady: boolean, lingerMs: number): void {
  if (isReady) hangUp(socket, TOO_MANY, lingerMs);
  else socket.destroy();
}

function countDown(counts: Map<string, number>, name: string): void {
  const left = (counts.get(name) ?? 1) - 1;
  if (left === 0) counts.delete(name);
  else counts.set(name, left);
}

const TOO_MANY = rawErrorResponse(
  '429 Too Many Requests',
  new BatonError('too_many_open', 'Too many connections from this address are open; close some of them.'),
);
