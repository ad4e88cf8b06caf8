import Type from 'typebox';
import { HostId, PeerName } from '../schemas/across-hosts.ts';
import { DateTime, json, type RouteContract } from './contract.ts';

/** The other hosts that the operator of a host knows. */

const PeerView = Type.Object(
  {
    name: PeerName,
    url: Type.String(),
    kind: Type.Unsafe<'baton' | 'a2a'>({
      enum: ['baton', 'a2a'],
      description:
        '`baton`: a host of this kind. `a2a`: an agent of another kind, which only works for this host.',
    }),
    hostId: Type.Optional(HostId),
    auditKey: Type.Optional(
      Type.Object({
        keyId: Type.String(),
        publicKey: Type.String({
          description: 'SPKI as PEM. It verifies the results and requests of the peer.',
        }),
      }),
    ),
    credentials: Type.Unsafe<'jwt' | 'secret'>({
      enum: ['jwt', 'secret'],
      description: 'Requests to the peer have a token that this host signs, or a secret of the operator.',
    }),
    tenant: Type.String({ description: 'The tenant in which the runs of the peer are' }),
    publishes: Type.Array(Type.String(), {
      description:
        'The workflows and agents that the peer may use, beside those that are published to everybody',
    }),
    createdAt: DateTime,
  },
  { additionalProperties: false },
);

const listPeers = {
  method: 'GET',
  path: '/v1/peers',
  access: 'host:operate',
  idempotent: 'always',
  tag: 'operations',
  summary: 'The other hosts that the operator knows',
  description: 'Peers are added and removed with `baton peers`. No secret is in the answer.',
  responses: {
    200: json(
      Type.Object({
        hostId: Type.String({ description: 'The id by which other hosts know this one' }),
        peers: Type.Array(PeerView),
      }),
    ),
  },
  refusals: [],
} as const satisfies RouteContract;

export const PEER_CONTRACTS = { listPeers } as const;
