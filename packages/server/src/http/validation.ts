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
  const read = httpPart === 'querystring' ? typedQuery(schema) : httpPart === 'body' ? emptyWhenAbsent : same;
  return (given: unknown) => {
    const value = read(given);
    const problem = problemWith(schema, value);
    if (problem === undefined) return { value };
    return { error: invalid(what, httpPart === 'querystring' ? ofParameter(problem) : problem) };
  };
};

/** A sender knows the parameters of a query, and not the items of the list that one of them becomes. */
function ofParameter<P extends { readonly field: string }>(problem: P): P {
  return { ...problem, field: problem.field.replace(/\.\d+$/, '') };
}

const same = (value: unknown): unknown => value;
// Fastify passes a missing body as null.
const emptyWhenAbsent = (value: unknown): unknown => (value === null ? {} : value);

/**
 * A query string holds only text. Where the schema asks for an integer, digits become a number. The schema has a
 * maximum, so a number with more digits than JavaScript can hold is refused, and not rounded. Where it asks for a
 * boolean, `true` and `false` become one. Where it asks for a list, `a,b` and a repeated parameter become one.
 */
function typedQuery(schema: object): (query: unknown) => unknown {
  const properties = 'properties' in schema ? (schema.properties as Record<string, { type?: string }>) : {};
  const typed = Object.entries(properties).flatMap(([name, { type = '' }]) => {
    const read = READERS[type];
    return read === undefined ? [] : [[name, read] as const];
  });
  return (query) => {
    const given = query as Record<string, unknown>;
    const present = typed.filter(([name]) => name in given);
    if (present.length === 0) return given;
    const values = { ...given };
    for (const [name, read] of present) values[name] = read(given[name]);
    return values;
  };
}

/** A text that is not of the type stays as it is, so that the schema refuses it. */
const READERS: Readonly<Record<string, (given: unknown) => unknown>> = {
  integer: (given) => (typeof given === 'string' && /^-?\d{1,32}$/.test(given) ? Number(given) : given),
  boolean: (given) => (given === 'true' || given === 'false' ? given === 'true' : given),
  array: (given) => [given].flat().flatMap((text) => (typeof text === 'string' ? text.split(',') : [text])),
};
