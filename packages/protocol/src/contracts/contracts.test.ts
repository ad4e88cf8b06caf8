import { describe, expect, it } from 'vitest';
import { ERRORS } from '../errors.ts';
import { type RouteContract, refusalsOf } from './contract.ts';
import { CONTRACTS } from './contracts.ts';
import { openApiDocument } from './openapi.ts';

const ALL: readonly [name: string, contract: RouteContract][] = Object.entries(CONTRACTS);

const propertiesOf = (schema: object | undefined): string[] =>
  schema !== undefined && 'properties' in schema ? Object.keys(schema.properties as object) : [];

describe.each(ALL)('the contract %s', (_name, contract) => {
  it('describes the parts of its address, and no others', () => {
    const named = [...contract.path.matchAll(/\{\+?(\w+)\}/g)].map(([, part]) => part);
    expect(propertiesOf(contract.params)).toEqual(named);
  });

  it('answers with something, and takes a body only where one is sent', () => {
    expect(Object.keys(contract.responses).length).toBeGreaterThan(0);
    if (contract.method === 'GET' || contract.method === 'DELETE') expect(contract.body).toBeUndefined();
  });

  it('can be repeated when it is a read', () => {
    const isRead = contract.method === 'GET';
    expect(isRead && contract.idempotent !== 'always').toBe(false);
  });

  it('names its own errors once, and none that every such route has', () => {
    const particular: readonly string[] = contract.refusals;
    const general = refusalsOf({ ...contract, refusals: [] });
    expect(particular.filter((code) => (general as readonly string[]).includes(code))).toEqual([]);
    expect(new Set(particular).size).toBe(particular.length);
  });

  it('bounds every whole number in its address and query by what JavaScript can hold', () => {
    for (const schema of [contract.params, contract.query]) {
      const { properties = {} } = (schema ?? {}) as { properties?: Record<string, Record<string, unknown>> };
      for (const [name, { type, minimum, maximum }] of Object.entries(properties)) {
        if (type !== 'integer') continue;
        expect([name, typeof minimum, Number.isSafeInteger(maximum)]).toEqual([name, 'number', true]);
      }
    }
    expect(contract.path).not.toBe('');
  });

  it('names headers in lower case', () => {
    const names = propertiesOf(contract.headers);
    expect(names).toEqual(names.map((name) => name.toLowerCase()));
  });
});

it('gives every address and method to one contract', () => {
  const addresses = ALL.map(([, { method, path }]) => `${method} ${path.replace(/\{\+?\w+\}/g, '{}')}`);
  expect(new Set(addresses).size).toBe(addresses.length);
});

describe('errors of a route', () => {
  it('come in the order of their statuses, each once', () => {
    const codes = refusalsOf(CONTRACTS.cancelRun);
    const statuses = codes.map((code) => ERRORS[code][0]);
    expect(statuses).toEqual([...statuses].sort((a, b) => a - b));
    expect(new Set(codes).size).toBe(codes.length);
  });

  it('follow from what the contract says', () => {
    expect(refusalsOf(CONTRACTS.checkHealth)).not.toContain('unauthenticated');
    expect(refusalsOf(CONTRACTS.listRuns)).toContain('forbidden');
    expect(refusalsOf(CONTRACTS.listRuns)).not.toContain('not_found');
    expect(refusalsOf(CONTRACTS.readRun)).toContain('not_found');
    expect(refusalsOf(CONTRACTS.readRun)).not.toContain('storage_full');
    expect(refusalsOf(CONTRACTS.writeFile)).toContain('storage_full');
    expect(refusalsOf(CONTRACTS.writeFile)).not.toContain('idempotency_key_mismatch');
    expect(refusalsOf(CONTRACTS.createRun)).toContain('idempotency_key_mismatch');
  });
});

describe('the OpenAPI document', () => {
  const info = { title: 't', description: 'd', version: '1', license: { name: 'l', identifier: 'l' } };
  const document = openApiDocument(CONTRACTS, info) as {
    // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever is there
    paths: Record<string, Record<string, any>>;
  };

  it('has every contract that is documented, under its name', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    const documented = ALL.filter(([, { undocumented }]) => !undocumented).map(([name]) => name);
    expect(ids.sort()).toEqual(documented.sort());
  });

  it('says what may be sent', () => {
    const create = document.paths['/v1/runs']?.post;
    const names = create.parameters.map(
      ({ in: place, name }: { in: string; name: string }) => `${place} ${name}`,
    );
    expect(names).toEqual(['header prefer', 'header traceparent', 'header Idempotency-Key']);
    expect(create.requestBody.required).toBe(true);
    expect(document.paths['/v1/runs/{runId}/cancel']?.post.requestBody.required).toBe(false);
    const read = document.paths['/v1/host/workspace/files/{path}']?.get;
    expect(read.parameters[0]).toEqual({
      in: 'path',
      name: 'path',
      required: true,
      schema: { type: 'string' },
      description: 'Slashes may be escaped as %2F',
    });
  });

  it('says what is answered, with every error by its status', () => {
    const { responses } = document.paths['/v1/runs/{runId}']?.get ?? {};
    expect(Object.keys(responses)).toEqual([
      '200',
      '304',
      '400',
      '401',
      '403',
      '404',
      '408',
      '409',
      '429',
      '500',
      '503',
    ]);
    expect(responses['304'].content).toBeUndefined();
    expect(responses['404'].description).toBe('Refused with `not_found`');
    expect(responses['404'].content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/ErrorEnvelope',
    });
    const ready = document.paths['/readyz']?.get.responses['503'];
    expect(ready.content['application/json'].schema.anyOf).toHaveLength(2);
    expect(Object.keys(document.paths['/v1/runs/{runId}/events']?.get.responses['200'].content)).toEqual([
      'application/json',
      'text/event-stream',
    ]);
  });
});
