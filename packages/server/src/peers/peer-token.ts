import { randomUUID } from 'node:crypto';
import type { SigningKey } from '@baton/engine';

/**
 * The tokens with which hosts prove to each other who they are: a JWT that the sender signs with its audit key,
 * for one receiver and one request. The type in its header keeps it apart from everything else that the key
 * signs.
 */

export const PEER_TOKEN_TYPE = 'baton-peer+jwt';

const LIFETIME_S = 60;

interface Sender {
  readonly auditKey: Pick<SigningKey, 'sign'>;
  readonly hostId: string;
}

/**
 * A new token for one request. `now` is in milliseconds. A host can claim the id of another one, so the token also
 * names the key of the receiver, by which the sender knows it: a receiver cannot use the token at another host.
 */
export function peerToken(sender: Sender, receiverId: string, now: number, receiverKey?: string): string {
  const iat = Math.floor(now / 1000);
  const header = { alg: 'EdDSA', typ: PEER_TOKEN_TYPE };
  const claims = {
    ...{ iss: sender.hostId, aud: receiverId, iat, exp: iat + LIFETIME_S, jti: randomUUID() },
    ...(receiverKey !== undefined && { key: receiverKey }),
  };
  const signed = `${encoded(header)}.${encoded(claims)}`;
  return `${signed}.${Buffer.from(sender.auditKey.sign(signed), 'base64').toString('base64url')}`;
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
