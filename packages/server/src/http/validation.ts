import { invalid, problemWith } from '@baton/protocol';
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';

/**
 * Routes are checked with the validator of the protocol package, so that an HTTP caller and every other
 * caller get the same messages. A missing body counts as an empty object; the schema says whether that is
 * enough.
 */
const PARTS: Readonly<Record<string, string>> = {
  body: 'The body',
  querystring: 'The query',
  params: 'The address',
};

export function validateWithProtocol(app: FastifyInstance): void {
  app.setValidatorCompiler(compileCheck);
  // The host builds its answers itself. Checking them again would only cost time.
  app.setSerializerCompiler(() => JSON.stringify);
}

export const compileCheck: FastifySchemaCompiler<object> = ({ schema, httpPart = 'body' }) => {
  const what = PARTS[httpPart] ?? 'The request';
  const read = httpPart === 'querystring' ? numbersOf(schema) : httpPart === 'body' ? emptyWhenAbsent : same;
  return (given: unknown) => {
    const value = read(given);
    const problem = problemWith(schema, value);
    return problem === undefined ? { value } : { error: invalid(what, problem) };
  };
};

const same = (value: unknown): unknown => value;
// Fastify passes a missing body as null.
const emptyWhenAbsent = (value: unknown): unknown => (value === null ? {} : value);

/**
 * A query string holds only text. Digits become a number where the schema asks for an integer. The schema has a
 * maximum, so a number with more digits than JavaScript can hold is refused, and not rounded.
 */
function numbersOf(schema: object): (query: unknown) => unknown {
  const properties = 'properties' in schema ? (schema.properties as Record<string, { type?: string }>) : {};
  const integers = Object.keys(properties).filter((name) => properties[name]?.type === 'integer');
  return (query) => {
    const given = query as Record<string, unknown>;
    const present = integers.filter((name) => name in given);
    if (present.length === 0) return given;
    const read = { ...given };
    for (const name of present) {
      const text = given[name];
      if (typeof text === 'string' && /^-?\d{1,32}$/.test(text)) read[name] = Number(text);
    }
    return read;
  };
}
