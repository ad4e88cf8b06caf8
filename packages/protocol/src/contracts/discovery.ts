import Type from 'typebox';
import { CapabilityDocument } from '../schemas/capabilities.ts';
import { IfNoneMatch, json, NOT_MODIFIED, type RouteContract } from './contract.ts';

const discover = {
  method: 'GET',
  path: '/.well-known/openwop',
  access: 'public',
  idempotent: 'always',
  tag: 'discovery',
  summary: 'The capabilities of this host',
  headers: IfNoneMatch,
  responses: { 200: json(CapabilityDocument), 304: NOT_MODIFIED },
  refusals: [],
} as const satisfies RouteContract;

const describeApi = {
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
} as const satisfies RouteContract;

export const DISCOVERY_CONTRACTS = { discover, describeApi } as const;
