import type { TSchema } from 'typebox';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { ErrorEnvelope } from '../schemas/run.ts';
import { isScope } from '../scopes.ts';
import { type MediaType, type RouteContract, refusalsOf } from './contract.ts';
import { SESSION_COOKIE } from './sessions.ts';

/** The OpenAPI document, made only from the contracts. */

interface ApiInfo {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly license: { readonly name: string; readonly identifier: string };
}

type Documented = Record<string, unknown>;

const REFUSED = { $ref: '#/components/schemas/ErrorEnvelope' };

const IDEMPOTENCY_KEY = {
  in: 'header',
  name: 'Idempotency-Key',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description: 'A repeated request with the same key changes nothing and gets the first answer again',
};

export function openApiDocument(
  contracts: Readonly<Record<string, RouteContract>>,
  info: ApiInfo,
): Documented {
  const paths: Record<string, Documented> = {};
  for (const [operationId, contract] of Object.entries(contracts)) {
    if (contract.undocumented) continue;
    const path = contract.path.replace('{+', '{');
    paths[path] = { ...paths[path], [contract.method.toLowerCase()]: operation(operationId, contract) };
  }
  return {
    openapi: '3.1.0',
    info,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE },
      },
      schemas: { ErrorEnvelope },
    },
    paths,
  };
}

function operation(operationId: string, contract: RouteContract): Documented {
  const { tag, summary, description, deprecated, access, idempotent, body } = contract;
  const parameters = [
    ...parametersIn('path', contract.params),
    ...parametersIn('query', contract.query),
    ...parametersIn('header', contract.headers),
    ...(idempotent === 'with-key' ? [IDEMPOTENCY_KEY] : []),
  ];
  return {
    operationId,
    summary,
    tags: [tag],
    ...(description !== undefined && { description }),
    ...(deprecated && { deprecated }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBodyOf(body, contract.emptyBody) }),
    security: access === 'public' ? [] : [{ key: [] }, { session: [] }],
    ...(isScope(access) && { 'x-scope': access }),
    'x-idempotent': idempotent,
    responses: responsesOf(contract),
  };
}

/** A missing body counts as an empty object, so a body is required only when an empty object is refused. */
function requestBodyOf(schema: TSchema, empty: RouteContract['emptyBody']): Documented {
  const hasRequired = 'required' in schema && Array.isArray(schema.required) && schema.required.length > 0;
  const required = hasRequired || empty === 'refused';
  return { required, content: { 'application/json': { schema } } };
}

function parametersIn(place: 'path' | 'query' | 'header', schema: TSchema | undefined): Documented[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    in: place,
    name,
    required: place === 'path' || required.includes(name),
    schema: rest,
    ...(description !== undefined && { description }),
  }));
}

function responsesOf(contract: RouteContract): Documented {
  const responses: Record<string, Documented> = {};
  for (const [status, { description, content }] of Object.entries(contract.responses)) {
    responses[status] = { description, ...(Object.keys(content).length > 0 && { content: bodies(content) }) };
  }
  for (const [status, codes] of byStatus(refusalsOf(contract))) {
    const why = `Refused with ${codes.map((code) => `\`${code}\``).join(', ')}`;
    const accepted = contract.responses[status];
    const schema = accepted?.content['application/json'];
    responses[status] = {
      description: accepted ? `${accepted.description}. ${why}` : why,
      content: bodies({ 'application/json': schema ? { anyOf: [schema, REFUSED] } : REFUSED }),
    };
  }
  return responses;
}

function bodies(content: Readonly<Partial<Record<MediaType, object>>>): Documented {
  return Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]));
}

function byStatus(codes: readonly ErrorCode[]): ReadonlyMap<number, readonly ErrorCode[]> {
  const grouped = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const [status] = ERRORS[code];
    grouped.set(status, [...(grouped.get(status) ?? []), code]);
  }
  return grouped;
}
