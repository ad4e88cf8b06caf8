import { resolve } from 'node:path';
import type { Peer, PeerTls } from '@baton/engine/ports';
import { fingerprintsIn, readClientTls } from '@baton/server';
import { wrongUsage } from '../output/command-failure.ts';

/** The certificates by which this host and a peer know each other. */

export interface CertificateFlags {
  /** The certificate that this host presents to the peer, and its private key. */
  readonly cert?: string;
  readonly certKey?: string;
  /** The authorities that may have signed the certificate of the peer. */
  readonly ca?: string;
  /** The certificates that the peer presents to this host. */
  readonly acceptCert?: string;
}

/** The files are checked now, and read again whenever the peer is called. */
export function tlsIn({ cert, certKey, ca }: CertificateFlags, url: string): PeerTls | undefined {
  if (cert === undefined && certKey === undefined && ca === undefined) return undefined;
  if ((cert === undefined) !== (certKey === undefined)) {
    throw wrongUsage('--cert and --cert-key belong together; set both, or neither.');
  }
  if (!url.startsWith('https:')) {
    throw wrongUsage(`--url is "${url}", which does not use TLS; write https, or leave out --cert and --ca.`);
  }
  const tls: PeerTls = {
    ...(cert !== undefined &&
      certKey !== undefined && { certificate: { file: resolve(cert), keyFile: resolve(certKey) } }),
    ...(ca !== undefined && { caFile: resolve(ca) }),
  };
  readClientTls(tls);
  return tls;
}

export function acceptedIn(
  { acceptCert }: CertificateFlags,
  kind: Peer['kind'],
): readonly string[] | undefined {
  if (acceptCert === undefined) return undefined;
  if (kind === 'baton') return fingerprintsIn(acceptCert);
  throw wrongUsage('An agent of another kind does not call this host; leave out --accept-cert.');
}
