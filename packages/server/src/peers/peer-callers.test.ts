import { createPrivateKey } from 'node:crypto';
import { newSigningKey, signingKey } from '@baton/engine';
import type { ApiKey, Peer } from '@baton/engine/ports';
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { peerCallers } from './peer-callers.ts';
import { PEER_TOKEN_TYPE, peerToken } from './peer-token.ts';

const T0 = Date.parse('2030-01-01T00:00:00Z');
const S0 = T0 / 1000;
const PEM = newSigningKey();
const OTHER_PEM = newSigningKey();
const KEY = signingKey(PEM, 'a key');
const OTHER = signingKey(OTHER_PEM, 'another key');

const acme: Peer = {
  name: 'acme',
  url: 'https://acme.example',
  kind: 'baton',
  hostId: 'host-acme',
  auditKey: KEY.pem,
  tenant: 'peer-acme',
  publishes: ['translate'],
  createdAt: T0,
};
const other: Peer = {
  ...acme,
  name: 'other',
  hostId: 'host-other',
  auditKey: OTHER.pem,
  tenant: 'peer-other',
};
const agent: Peer = {
  name: 'agent',
  url: acme.url,
  kind: 'a2a',
  tenant: 'peer-agent',
  publishes: [],
  createdAt: T0,
};

function callers(known: Peer[] = [acme, other, agent]) {
  const clock = { now: T0 };
  const reads = {
    peers: async () => known,
    peer: async (name: string) => known.find((peer) => peer.name === name),
  };
  return {
    clock,
    known,
    ...peerCallers({ reads, hostId: 'host-me', keyId: 'key-me', now: () => clock.now }),
  };
}

const ours = (now = T0) => peerToken({ auditKey: KEY, hostId: 'host-acme' }, 'host-me', now);

const CLAIMS: JWTPayload = {
  iss: 'host-acme',
  aud: 'host-me',
  iat: S0,
  exp: S0 + 60,
  jti: 'a-token-of-acme',
};

/** A token that differs from a good one in a few claims, or in its header or key. */
function forged(claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}, pem = PEM) {
  return new SignJWT({ ...CLAIMS, ...claims } as JWTPayload)
    .setProtectedHeader({ alg: 'EdDSA', typ: PEER_TOKEN_TYPE, ...header })
    .sign(createPrivateKey(pem));
}

describe('a token that a peer has signed', () => {
  it('says which peer the caller is, with few permissions, in the tenant of the peer', async () => {
    expect(await callers().byToken(ours())).toEqual({
      keyId: 'peer:acme',
      tenant: 'peer-acme',
      principal: 'peer:acme',
      scopes: new Set(['runs:create', 'runs:read', 'runs:cancel', 'approvals:respond']),
      peer: { name: 'acme', hostId: 'host-acme', url: 'https://acme.example', publishes: ['translate'] },
    });
  });

  it('is one that any library can make', async () => {
    expect(await callers().byToken(await forged())).toMatchObject({ principal: 'peer:acme' });
  });

  it('is accepted once, and others of the same peer after it', async () => {
    const { byToken } = callers();
    const token = ours();
    const [first, second] = await Promise.all([byToken(token), byToken(token)]);
    expect([first, second].filter((identity) => identity !== undefined)).toHaveLength(1);
    expect(await byToken(token)).toBeUndefined();
    expect(await byToken(ours())).toBeDefined();
  });

  it.each([30, 100, 149, 179, 200])('is not accepted a second time after %s seconds', async (later) => {
    const { byToken, clock } = callers();
    const token = await forged({ exp: S0 + 150 });
    expect(await byToken(token)).toBeDefined();
    clock.now = T0 + later * 1000;
    expect(await byToken(token)).toBeUndefined();
  });

  it('may come from a clock that is half a minute off', async () => {
    const { byToken, clock } = callers();
    expect(await byToken(ours(T0 + 29_000))).toBeDefined();
    clock.now = T0 + 89_000;
    expect(await byToken(ours(T0))).toBeDefined();
  });

  it('has to be made again when the host was started after it', async () => {
    const { byToken } = callers();
    await expect(byToken(ours(T0 - 1000))).rejects.toMatchObject({
      code: 'rate_limited',
      details: { retryAfter: 1 },
    });
    expect(await byToken(ours(T0))).toBeDefined();
  });
});

describe('a token is refused', () => {
  it.each<[string, () => string | Promise<string>]>([
    ['for another host', () => peerToken({ auditKey: KEY, hostId: 'host-acme' }, 'host-else', T0)],
    ['for a host with the id of this one and another key', () => forged({ key: 'key-else' })],
    ['for several hosts', () => forged({ aud: ['host-me', 'host-else'] })],
    ['for nobody', () => forged({ aud: undefined })],
    ['of an unknown host', () => peerToken({ auditKey: KEY, hostId: 'host-unknown' }, 'host-me', T0)],
    ['of this host itself', () => peerToken({ auditKey: KEY, hostId: 'host-me' }, 'host-me', T0)],
    ['of nobody', () => forged({ iss: undefined })],
    ['of a peer that uses the key of another peer', () => forged({}, {}, OTHER_PEM)],
    ['of a peer that names another peer', () => forged({ iss: 'host-other' })],
    ['that names a peer in place of a host', () => forged({ iss: 'acme' })],
    ['that has expired', () => forged({ exp: S0 - 31 })],
    ['that never expires', () => forged({ exp: undefined })],
    ['that is valid for too long', () => forged({ exp: S0 + 151 })],
    ['that is from the future', () => forged({ iat: S0 + 31, exp: S0 + 90 })],
    ['without a time', () => forged({ iat: undefined })],
    ['without an id', () => forged({ jti: undefined })],
    ['with a short id', () => forged({ jti: '1' })],
    ['with a long id', () => forged({ jti: 'x'.repeat(65) })],
    ['with an id that is no text', () => forged({ jti: 123_456_789 })],
    ['that is not valid yet', () => forged({ nbf: S0 + 40 })],
    ['that the key signed for another purpose', () => forged({}, { typ: 'JWT' })],
    ['without a type', () => forged({}, { typ: undefined })],
    ['that nobody signed', () => new UnsecuredJWT(CLAIMS).encode()],
    [
      'that is signed with the public key as a password',
      () =>
        new SignJWT(CLAIMS)
          .setProtectedHeader({ alg: 'HS256', typ: PEER_TOKEN_TYPE })
          .sign(Buffer.from(KEY.pem)),
    ],
    [
      'whose claims were changed',
      () => ours().replace(/\.[^.]+\./, `.${encoded({ ...CLAIMS, jti: 'another-id' })}.`),
    ],
    ['whose signature was cut', () => ours().slice(0, -4)],
    ['without claims', () => 'e30.e30.e30'],
    ['that is none', () => 'baton_not.a-token'],
  ])('%s', async (_what, token) => {
    const { byToken } = callers();
    expect(await byToken(await token())).toBeUndefined();
    expect(await byToken(ours())).toBeDefined();
  });

  it('of a peer that was removed, or whose key was replaced', async () => {
    const { byToken, known } = callers();
    expect(await byToken(ours())).toBeDefined();
    known[0] = { ...acme, auditKey: OTHER.pem };
    expect(await byToken(ours())).toBeUndefined();
    known.splice(0, 1);
    expect(await byToken(ours())).toBeUndefined();
  });
});

describe('an API key that names a peer', () => {
  const key: ApiKey = {
    id: 'key_1',
    hash: '',
    tenant: 'peer-acme',
    principal: 'peer:acme',
    scopes: ['runs:create', 'host:operate', 'made:up'],
    createdAt: T0,
  };

  it('has the permissions that both the key and a peer have', async () => {
    expect(await callers().byKey(key)).toEqual({
      keyId: 'key_1',
      tenant: 'peer-acme',
      principal: 'peer:acme',
      scopes: new Set(['runs:create']),
      peer: { name: 'acme', hostId: 'host-acme', url: 'https://acme.example', publishes: ['translate'] },
    });
  });

  it.each([
    ['a peer that is not known', { principal: 'peer:nobody' }],
    [
      'an agent of another kind, which only works for this host',
      { principal: 'peer:agent', tenant: 'peer-agent' },
    ],
    ['a peer of another tenant', { principal: 'peer:other' }],
  ])('is refused if it names %s', async (_what, more) => {
    expect(await callers().byKey({ ...key, ...more })).toBeUndefined();
  });
});

describe('a certificate', () => {
  const seen = { fingerprint: 'AB:CD', validFrom: T0 - 1000, validTo: T0 + 1000 };

  it('is that of the peer for which it is pinned', async () => {
    const { byCertificate, known } = callers();
    expect(await byCertificate(seen)).toBeUndefined();
    known[0] = { ...acme, certificates: ['12:34', 'AB:CD'] };
    expect(await byCertificate(seen)).toEqual(await callers().byToken(ours()));
    expect(await byCertificate({ ...seen, fingerprint: 'AB' })).toBeUndefined();
    known.splice(0, 1);
    expect(await byCertificate(seen)).toBeUndefined();
  });

  it('is refused before and after the time in which it is valid', async () => {
    const { byCertificate, known } = callers();
    known[0] = { ...acme, certificates: ['AB:CD'] };
    expect(await byCertificate({ ...seen, validFrom: T0, validTo: T0 })).toBeDefined();
    expect(await byCertificate({ ...seen, validFrom: T0 + 1 })).toBeUndefined();
    expect(await byCertificate({ ...seen, validTo: T0 - 1 })).toBeUndefined();
    expect(await byCertificate({ ...seen, validTo: Number.NaN })).toBeUndefined();
  });

  it('is refused when it is pinned for two peers, or for an agent of another kind', async () => {
    const { byCertificate, known } = callers();
    known[0] = { ...acme, certificates: ['AB:CD'] };
    known.push({ ...acme, name: 'twin', hostId: 'host-twin', certificates: ['AB:CD'] });
    expect(await byCertificate(seen)).toBeUndefined();
    known.splice(0, known.length, { ...acme, kind: 'a2a', certificates: ['AB:CD'] });
    expect(await byCertificate(seen)).toBeUndefined();
  });
});

function encoded(claims: object): string {
  return Buffer.from(JSON.stringify(claims)).toString('base64url');
}
