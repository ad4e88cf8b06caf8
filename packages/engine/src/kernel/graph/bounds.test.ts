import { describe, expect, it } from 'vitest';
import { compile } from '../../../../conformance/src/testkit/simulation.ts';
import { edge, node, workflow } from '../../../../conformance/src/testkit/workflows.ts';

const a = node('a', 'core.noop');
const named = (count: number, value: (n: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`v${n}`, value(n)]));
const set = (count: number, text: (n: number) => string) =>
  node('s', 'vendor.baton.set', { assign: named(count, text) });

describe('a definition that is too large is refused, with the field', () => {
  it.each<[string, unknown, string, string]>([
    ['as a whole', workflow('w', [a], { description: 'x'.repeat(1_100_000) }), '', '1048576 are allowed'],
    [
      'channels',
      workflow('w', [a], { channels: named(1001, () => ({ reducer: 'append' })) }),
      'channels',
      '1000 are allowed',
    ],
    [
      'edges',
      workflow('w', [a, node('b', 'core.noop')], { edges: Array(4001).fill(edge('a', 'b')) }),
      'edges',
      '4000 are allowed',
    ],
    ['assignments', workflow('w', [set(20_000, () => '1')]), 'nodes.0.config.assign', '500 are allowed'],
    [
      'ports',
      workflow('w', [{ ...a, inputs: named(501, (n) => ({ type: 'static', value: n })) }]),
      'nodes.0.inputs',
      '500 are allowed',
    ],
    [
      'a mapping',
      workflow('w', [node('c', 'core.subWorkflow', { workflowId: 'x', outputMapping: named(501, String) })]),
      'nodes.0.config.outputMapping',
      '500 are allowed',
    ],
    [
      'a mapping of one worker',
      workflow('w', [node('c', 'core.dispatch', { perWorkerInputMappings: { x: named(501, String) } })]),
      'nodes.0.config.perWorkerInputMappings.x',
      '500 are allowed',
    ],
    [
      'expressions together',
      workflow(
        'w',
        [0, 1, 2].map((id) => ({ ...set(400, (n) => `${n} + ${'1 + '.repeat(60)} ${id}`), id: `s${id}` })),
      ),
      '',
      '262144 are allowed',
    ],
    [
      'patterns together',
      workflow(
        'w',
        Array.from({ length: 20 }, (_, n) => node(`n${n}`, 'core.noop')),
        {
          edges: Array.from({ length: 19 }, (_, n) =>
            edge(`n${n}`, `n${n + 1}`, {
              condition: { type: 'regex', left: 'variables.x', right: `a{900}${n}` },
            }),
          ),
        },
      ),
      '',
      '10000 are allowed',
    ],
    [
      'schemas together',
      workflow('w', [
        node('q', 'core.clarificationGate', {
          questions: Array.from({ length: 4 }, (_, n) => ({
            id: `q${n}`,
            question: '?',
            schema: { enum: Array.from({ length: 4000 }, (_, v) => v) },
          })),
        }),
      ]),
      '',
      '10000 are allowed',
    ],
    [
      'one schema',
      workflow('w', [a], { configurableSchema: { enum: Array.from({ length: 6000 }, (_, n) => n) } }),
      'configurableSchema',
      'more than 5000 parts',
    ],
    [
      'a pattern in a schema',
      workflow('w', [a], { configurableSchema: { pattern: '(a{1,60}){1,30}' } }),
      'configurableSchema',
      'the pattern is too large',
    ],
    [
      'a pattern on an edge',
      workflow('w', [a, node('b', 'core.noop')], {
        edges: [
          edge('a', 'b', {
            condition: { type: 'regex', left: 'variables.x', right: 'x{1000}y{1000}z{1000}' },
          }),
        ],
      }),
      'edges.0.condition',
      'the pattern is too large',
    ],
  ])('%s', (_what, definition, field, words) => {
    expect(() => compile([definition])).toThrow(
      expect.objectContaining({
        code: 'validation_error',
        message: expect.stringContaining(words),
        details: expect.objectContaining({ field }),
      }),
    );
  });

  it('or its edges, with the one whose expression is none', () => {
    const bad = workflow('w', [a, node('b', 'core.noop')], {
      edges: [edge('a', 'b', { condition: { expression: '1 +' } })],
    });
    expect(() => compile([bad])).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ field: 'edges.0.condition' }) }),
    );
    const port = workflow('w', [{ ...a, inputs: { x: { type: 'expression', expression: 'nothing.x' } } }]);
    expect(() => compile([port])).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ field: 'nodes.0.inputs.x' }) }),
    );
  });
});
