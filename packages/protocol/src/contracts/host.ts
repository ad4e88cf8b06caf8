import Type from 'typebox';
import { CapabilityDocument } from '../schemas/capabilities.ts';
import { DateTime, IfNoneMatch, json, NOT_MODIFIED, type Routes } from './contract.ts';

/** For operators: facts about the host, and its keys. */

const Count = Type.Integer({ minimum: 0 });
const Milliseconds = Type.Optional(Count);

const HostFacts = Type.Object({
  id: Type.String({ description: 'The id by which other hosts know this one' }),
  version: Type.String(),
  startedAt: DateTime,
  storage: Type.Object({
    kind: Type.String(),
    bytes: Type.Integer({ minimum: 0, description: 'The size of the database' }),
    runs: Type.Integer({ minimum: 0, description: 'Runs that were ever stored' }),
    events: Type.Integer({ minimum: 0, description: 'Events that were ever stored' }),
  }),
  /** Absent durations mean that nothing is removed. */
  retention: Type.Object({ runsMs: Milliseconds, memoryMs: Milliseconds }),
  /** Absent limits are those of the engine. */
  limits: Type.Object({
    maxTenantBytes: Type.Optional(Count),
    maxTreeRuns: Type.Optional(Count),
    maxLogEvents: Type.Optional(Count),
    maxStateCharacters: Type.Optional(Count),
    maxEffects: Type.Optional(Count),
    maxConnections: Type.Optional(Count),
  }),
  keys: Type.Object({
    count: Type.Integer({ minimum: 0, description: 'Keys that are not revoked' }),
  }),
});

const Host = Type.Object({
  number: Type.Integer({ minimum: 0, description: 'New with each start of the process' }),
  name: Type.String({ description: 'The machine and the port' }),
  url: Type.Optional(Type.String({ description: 'The address under which others reach it' })),
  version: Type.String(),
  startedAt: DateTime,
  silentMs: Type.Number({ minimum: 0, description: 'How long ago it was last seen' }),
  isDraining: Type.Boolean({ description: 'It stops, and takes no new work' }),
  isThis: Type.Boolean({ description: 'It has answered this request' }),
  trees: Type.Integer({ minimum: 0, description: 'Unfinished trees that it looks after' }),
  effects: Type.Integer({ minimum: 0, description: 'Calls to the outside that it performs' }),
});

export const HOST_CONTRACTS = {
  readHost: {
    method: 'GET',
    path: '/v1/host',
    access: 'host:operate',
    idempotent: 'always',
    tag: 'operations',
    summary: 'The host: its version, its storage, its retention and its limits',
    responses: { 200: json(HostFacts) },
    refusals: [],
  },
  listKeys: {
    method: 'GET',
    path: '/v1/host/keys',
    access: 'host:operate',
    idempotent: 'always',
    tag: 'operations',
    summary: 'The API keys of all tenants, without their secrets',
    description: 'Keys that come from the settings of the host are not stored, and not listed.',
    responses: {
      200: json(
        Type.Object({
          keys: Type.Array(
            Type.Object({
              id: Type.String(),
              tenant: Type.String(),
              principal: Type.String(),
              scopes: Type.Array(Type.String()),
              roles: Type.Optional(Type.Array(Type.String())),
              createdAt: DateTime,
              revokedAt: Type.Optional(DateTime),
            }),
          ),
        }),
      ),
    },
    refusals: [],
  },
  listHosts: {
    method: 'GET',
    path: '/v1/hosts',
    access: 'host:operate',
    idempotent: 'always',
    tag: 'operations',
    summary: 'The hosts that share the data of this one',
    description:
      'With BATON_DATABASE_URL any number of hosts share a database. A host with a data folder has it for itself.',
    responses: {
      200: json(
        Type.Object({
          isShared: Type.Boolean({ description: 'Whether other hosts can join' }),
          hosts: Type.Array(Host),
          /** How much later than planned this host last showed that it is at work. */
          tickDelayMs: Type.Optional(Type.Number({ minimum: 0 })),
        }),
      ),
    },
    refusals: [],
  },
} as const satisfies Routes;

export const DISCOVERY_CONTRACTS = {
  discover: {
    method: 'GET',
    path: '/.well-known/openwop',
    access: 'public',
    idempotent: 'always',
    tag: 'discovery',
    summary: 'The capabilities of this host',
    headers: IfNoneMatch,
    responses: { 200: json(CapabilityDocument), 304: NOT_MODIFIED },
    refusals: [],
  },
  describeApi: {
    method: 'GET',
    path: '/v1/openapi.json',
    access: 'public',
    idempotent: 'always',
    tag: 'discovery',
    summary: 'The OpenAPI document of this host',
    undocumented: true,
    responses: {
      200: json(
        Type.Object({
          openapi: Type.String({ pattern: '^3\\.1\\.' }),
          info: Type.Object({ title: Type.String(), version: Type.String() }),
          paths: Type.Record(Type.String(), Type.Unsafe<object>({ type: 'object' })),
        }),
      ),
    },
    refusals: [],
  },
} as const satisfies Routes;
