import { publicKey } from '@baton/engine';
import type { Peer } from '@baton/engine/ports';

/** A peer as `--json` prints it: with the id of its audit key, as `baton peers list` shows it on the other host. */
export function toldPeer({ name, url, kind, hostId, auditKey, tenant, publishes, ...peer }: Peer) {
  const { secret, tls, certificates, createdAt } = peer;
  return {
    name,
    url,
    kind,
    ...(hostId !== undefined && { hostId }),
    ...(auditKey !== undefined && { auditKey: toldKey(publicKey(auditKey, `the audit key of ${name}`)) }),
    tenant,
    publishes,
    ...(secret !== undefined && { secret }),
    ...(tls?.certificate !== undefined && { certificate: tls.certificate.file }),
    ...(certificates !== undefined && { accepts: certificates }),
    createdAt: new Date(createdAt).toISOString(),
  };
}

export function toldKey({ keyId, spki }: { readonly keyId: string; readonly spki: string }) {
  return { keyId, spki };
}
