import type { Random } from '../durability/random.ts';
import { brokenText, mutated } from './mutations.ts';
import type { Operation, Parameter } from './operations.ts';
import type { Pool } from './pool.ts';
import { fitting, pick, STRANGE_TEXTS } from './values.ts';

/** One request to send. */
export interface FuzzRequest {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Mostly almost right: a request that is refused at the first look finds nothing. */
export function randomRequest(
  random: Random,
  operation: Operation,
  pool: Pool,
  bodies: (operation: Operation) => unknown,
): FuzzRequest {
  const changes = random.chance(0.35) ? 0 : 1 + random.below(3);
  let given = bodies(operation) ?? (operation.body && fitting(random, operation.body, pool.known));
  for (let i = 0; i < changes && random.chance(0.7); i += 1) given = mutated(random, given);
  const text = given === undefined ? undefined : JSON.stringify(given);
  const broken = text !== undefined && changes > 0 && random.chance(0.08);
  return {
    operation,
    method: changes > 0 && random.chance(0.02) ? pick(random, METHODS) : operation.method,
    path: pathOf(random, operation, pool, changes > 0),
    headers: headersOf(random, text !== undefined, changes > 0),
    body: broken ? brokenText(random, text) : text,
  };
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function pathOf(random: Random, { path, parameters }: Operation, pool: Pool, strangely: boolean): string {
  const value = ({ name, schema }: Parameter): string => {
    if (strangely && random.chance(0.15)) return pick(random, STRANGE_TEXTS);
    return String(pool.known(name) ?? fitting(random, schema, pool.known, name));
  };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.name === name && one.in === 'path');
    return parameter === undefined ? 'x' : encoded(value(parameter));
  });
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && random.chance(0.5))
    // Waiting is tested elsewhere; here it would only cost time.
    .map(
      (parameter) => `${parameter.name}=${parameter.name === 'timeout' ? '0' : encoded(value(parameter))}`,
    );
  if (strangely && random.chance(0.05))
    query.push(pick(random, ['x=1', '=', '&&', '%zz', 'limit=1&limit=2', 'a[b]=c']));
  const tail = strangely && random.chance(0.03) ? pick(random, ['/', '/..', '//', ';x', '%2f', ':fork']) : '';
  return `${filled}${tail}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}

function headersOf(random: Random, hasBody: boolean, strangely: boolean): Record<string, string> {
  const headers: Record<string, string> = {
    accept: random.chance(0.85) ? 'application/json' : 'text/event-stream',
  };
  if (hasBody) headers['content-type'] = 'application/json';
  if (random.chance(0.15)) headers['idempotency-key'] = `key-${random.below(40)}`;
  if (!strangely) return headers;
  for (const [name, values] of ODD_HEADERS) if (random.chance(0.04)) headers[name] = pick(random, values);
  return headers;
}

const ODD_HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ['content-type', ['text/plain', 'application/xml', 'application/json; charset=utf-16', '', ';']],
  ['accept', ['*/*', 'text/html', '', 'application/json;q=0']],
  ['idempotency-key', ['', ' ', 'x'.repeat(256), '"']],
  ['if-none-match', ['*', '"x"', 'W/"1-a"', '']],
  ['if-match', ['*', '"x"', '1']],
  ['last-event-id', ['-1', 'x', '99999999999999999999', '3']],
  ['prefer', ['wait=0', 'wait=x', 'wait=-1', 'respond-async, wait=0']],
  ['traceparent', ['00-x', `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`]],
  ['origin', ['null', 'https://evil.example']],
  ['expect', ['100-continue']],
  ['content-encoding', ['gzip']],
  ['x-forwarded-for', ['127.0.0.1']],
  ['x-http-method-override', ['DELETE']],
];
