import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** The certificate that a caller has presented. The caller has proved that it holds the private key. */
export interface ClientCertificate {
  /** SHA-256, such as `AB:CD:…`. */
  readonly fingerprint: string;
  /** In milliseconds. The dates are compared for each request, because a connection can outlive its certificate. */
  readonly validFrom: number;
  readonly validTo: number;
}

/** The certificate of a connection does not change. */
const presented = new WeakMap<Socket, ClientCertificate>();

export function certificateOf(socket: Socket): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const known = presented.get(socket);
  if (known !== undefined) return known;
  const given = socket.getPeerX509Certificate();
  if (given === undefined) return undefined;
  const { fingerprint256: fingerprint, validFrom, validTo } = given;
  const certificate = { fingerprint, validFrom: Date.parse(validFrom), validTo: Date.parse(validTo) };
  presented.set(socket, certificate);
  return certificate;
}
