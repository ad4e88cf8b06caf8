import Type from 'typebox';
import { ForeignId, HostId, ORIGIN_CAUSES, PeerName } from '../../schemas/across-hosts.ts';
import { DateTime, json, type Routes, RunParams } from '../contract.ts';

/** The other hosts that the operator of a host knows, and the runs that lead from one host to another. */

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
    credentials: Type.Unsafe<'jwt' | 'secret' | 'mtls'>({
      enum: ['jwt', 'secret', 'mtls'],
      description:
        'Requests to the peer have a token that this host signs, or a secret of the operator, or they are sent with a ' +
        'certificate (mTLS).',
    }),
    certificates: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'SHA-256 fingerprints of the certificates by which the peer is recognised when it calls this host',
      }),
    ),
    tenant: Type.String({ description: 'The tenant in which the runs of the peer are' }),
    publishes: Type.Array(Type.String(), {
      description:
        'The workflows and agents that the peer may use, beside those that are published to everybody',
    }),
    createdAt: DateTime,
  },
  { additionalProperties: false },
);

const closed = { additionalProperties: false } as const;

/** How a run started another one. Everything on the same host that is not a sub-workflow is a dispatch. */
const ANCESTRY_CAUSES = ['core.dispatch', 'core.subWorkflow', ...ORIGIN_CAUSES] as const;
type AncestryCause = (typeof ANCESTRY_CAUSES)[number];

const Parent = Type.Object(
  {
    runId: ForeignId,
    hostId: HostId,
    cause: Type.Unsafe<AncestryCause>({ enum: [...ANCESTRY_CAUSES] }),
    wellKnownUrl: Type.Optional(
      Type.String({
        format: 'uri',
        description: 'Where the host of the parent describes itself. Absent when it is this host.',
      }),
    ),
  },
  closed,
);

export const RunAncestry = Type.Object(
  {
    runId: ForeignId,
    hostId: HostId,
    parent: Type.Union([Type.Null(), Parent]),
  },
  closed,
);
export type RunAncestry = Type.Static<typeof RunAncestry>;

export const PEER_CONTRACTS = {
  listPeers: {
    method: 'GET',
    path: '/v1/peers',
    access: 'host:operate',
    idempotent: 'always',
    tag: 'operations',
    summary: 'The other hosts that the operator knows',
    description:
      'Peers are added and removed with `baton peers`. No secret and no private key is in the answer.',
    responses: {
      200: json(
        Type.Object({
          hostId: Type.String({ description: 'The id by which other hosts know this one' }),
          peers: Type.Array(PeerView),
        }),
      ),
    },
    refusals: [],
  },
  readAncestry: {
    method: 'GET',
    path: '/v1/runs/{runId}/ancestry',
    access: 'runs:read',
    peers: true,
    idempotent: 'always',
    tag: 'runs',
    summary: 'The run that started a run, on this host or on another one',
    description:
      'Names the immediate parent only; `baton ancestry` follows the parents from host to host. `parent` is null for a ' +
      'run that was not started by another run. This includes forks: a person started them, even if ' +
      'another run had started their source.',
    params: RunParams,
    responses: { 200: json(RunAncestry) },
    refusals: ['run_erased', 'run_purged', 'run_unreadable'],
  },
} as const satisfies Routes;
