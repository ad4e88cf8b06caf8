import { connect } from '@baton/client';
import { CONTRACTS, openApiDocument } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { METHODS, methodNames, requestsOf, WITHOUT_METHOD } from './every-method.ts';

/** The methods of the client and the operations of the API are the same. */

interface Documented {
  readonly operationId: string;
  readonly 'x-idempotent': string;
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly required: boolean }[];
  readonly requestBody?: { readonly required: boolean };
}

const { paths } = openApiDocument(
  { ...CONTRACTS, describeApi: { ...CONTRACTS.describeApi, undocumented: undefined } },
  { title: 'Baton', description: '', version: '0', license: { name: '', identifier: '' } },
) as { readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>> };

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path,
  })),
);

const called = new Set(Object.values(METHODS).flatMap(([, ...names]) => names as readonly string[]));

it('every operation of the OpenAPI document has a method, or a reason why not', () => {
  const names = operations.map(({ operationId }) => operationId);
  expect(names.filter((name) => !called.has(name) && !(name in WITHOUT_METHOD))).toEqual([]);
  expect(names.filter((name) => called.has(name) && name in WITHOUT_METHOD)).toEqual([]);
});

it('every method has an operation', () => {
  const baton = connect({ url: 'http://host.example' });
  const names = [
    ...methodNames(baton).filter((name) => name !== 'run'),
    ...methodNames({ run: baton.run('r') }),
  ];
  expect(names.sort()).toEqual(Object.keys(METHODS).sort());
});

describe('a method', () => {
  it.each(Object.entries(METHODS))('%s calls its operations as the document says', async (_, use) => {
    const [, ...names] = use;
    const requests = await requestsOf(use);
    expect(requests).toHaveLength(names.length);
    for (const [index, name] of names.entries()) {
      const operation = operations.find(({ operationId }) => operationId === name)!;
      const request = requests[index]!;
      expect(`${request.method} ${request.path}`).toMatch(
        new RegExp(`^${operation.method} ${patternOf(operation.path)}$`),
      );
      const { parameters = [], requestBody } = operation;
      const known = parameters.filter((one) => one.in === 'query').map((one) => one.name);
      expect(known).toEqual(expect.arrayContaining([...request.query]));
      const required = parameters.filter((one) => one.required && one.in === 'query').map((one) => one.name);
      expect(request.query).toEqual(expect.arrayContaining(required));
      expect(request.headers.has('idempotency-key')).toBe(operation['x-idempotent'] === 'with-key');
      if (requestBody?.required) expect(request.hasBody).toBe(true);
      if (requestBody === undefined) expect(request.hasBody).toBe(false);
    }
  });
});

/** The addresses that a path stands for. Names that may hold slashes are at the ends of paths. */
function patternOf(path: string): string {
  return path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, (_, name) => (name === 'path' ? '.+' : '[^/]+'));
}
