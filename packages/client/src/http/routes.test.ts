import { CONTRACTS } from '@baton/protocol';
import { expect, it } from 'vitest';
import { connect } from '../connect.ts';
import { type CalledOperation, isAnswerOf, ROUTES } from './routes.ts';

/** What a schema of a contract says about the members of an object. */
interface ObjectSchema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, { readonly type?: string }>>;
}

const EXAMPLES: Readonly<Record<string, unknown>> = {
  string: 's',
  integer: 1,
  boolean: true,
  array: [],
  object: {},
};

function schemasOf(operation: CalledOperation): readonly ObjectSchema[] {
  const responses = Object.entries(CONTRACTS[operation].responses) as [string, { content?: object }][];
  return responses
    .filter(([status]) => Number(status) < 300)
    .flatMap(([, { content }]) => (content as Record<string, ObjectSchema>)?.['application/json'] ?? []);
}

/** An answer with every required member whose type is simple. */
function answerFor({ required = [], properties = {} }: ObjectSchema): object {
  return Object.fromEntries(required.map((name) => [name, EXAMPLES[properties[name]?.type ?? ''] ?? null]));
}

it('takes every answer that the contract of its operation allows, and no other JSON', () => {
  const operations = Object.keys(ROUTES) as CalledOperation[];
  const checked = operations.flatMap((operation) =>
    schemasOf(operation).map((schema) => [operation, schema] as const),
  );
  for (const [operation, schema] of checked) {
    expect([operation, isAnswerOf(operation, answerFor(schema))]).toEqual([operation, true]);
    for (const other of [null, 5, 'text', [], ...(schema.required === undefined ? [] : [{}, { a: 1 }])]) {
      expect([operation, other, isAnswerOf(operation, other)]).toEqual([operation, other, false]);
    }
  }
  expect(checked.length).toBeGreaterThan(50);
});

it.each(['{}', 'null', '[]', '5', '{"runId":5}', ''])(
  'refuses the answer %j to the start of a run',
  async (text) => {
    const baton = connect({
      url: 'http://host.example',
      fetch: async () => new Response(text, { status: 201 }),
    });
    await expect(baton.runs.start('demo')).rejects.toMatchObject({ code: 'unexpected_answer' });
  },
);
