import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromJson, type NodeTypeId, workflow } from '@baton/client/builder';
import { PRODUCT_NODES } from '@baton/engine';
import type { WorkflowDefinition } from '@baton/protocol';
import { describe, expect, it } from 'vitest';

const EXAMPLES = join(import.meta.dirname, '../../examples');
const workflows = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter(
  (path) => /^[\w-]+\.json$/.test(path) || path.endsWith('/workflow.json'),
);

describe('JSON', () => {
  it.each(workflows)('%s is read and written without a change', async (path) => {
    const text = readFileSync(join(EXAMPLES, path), 'utf8');
    const read = fromJson(text);
    expect(read.toJSON()).toEqual(JSON.parse(text));
    expect(await read.validate()).toEqual({ valid: true, warnings: [] });
  });

  it('keeps members that the builder has no method for', () => {
    const given: WorkflowDefinition = {
      id: 'w',
      nodes: [{ id: 'n', typeId: 'core.noop', groupId: 'g', credentialsRef: 'c', cardType: 'x' }],
      groups: [{ id: 'g' }],
      slug: 'slug',
      acceptsInheritedArtifacts: [{}],
    };
    expect(fromJson(given).toJSON()).toMatchObject(given);
  });

  it('is written in one order, whichever order it was read in', () => {
    const text = JSON.stringify(fromJson(readFileSync(join(EXAMPLES, 'hello.json'), 'utf8')));
    const turned = JSON.parse(text, (_key, value) =>
      value && typeof value === 'object' && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).reverse())
        : value,
    );
    expect(JSON.stringify(turned)).not.toBe(text);
    const again = JSON.stringify(fromJson(turned));
    expect(Object.keys(JSON.parse(again))).toEqual(Object.keys(JSON.parse(text)));
    expect(Object.keys(JSON.parse(again).nodes[0])).toEqual(Object.keys(JSON.parse(text).nodes[0]));
  });

  it('changes in one place when a node is added at the end', () => {
    const small = workflow('w').node('a', 'core.noop', {}).node('b', 'core.noop', {}, { after: 'a' });
    const lines = (built: object) => JSON.stringify(built, null, 2).split('\n');
    const grown = lines(small.delay('c', 1, { after: 'b' }));
    const before = lines(small);
    expect(before.filter((line) => !grown.includes(line) && !grown.includes(`${line},`))).toEqual([]);
  });

  it('that is no workflow is refused with the field', () => {
    expect(() => fromJson('{"id": "w", "nodes": [{"id": "n"}]}')).toThrow(/nodes\.0.*typeId/);
    expect(() => fromJson('[]')).toThrow(/workflow/);
  });

  it('of a builder does not change with a later step', () => {
    const first = workflow('w').node('a', 'core.noop', {});
    const before = JSON.stringify(first);
    first.node('b', 'core.noop', {});
    (first.toJSON().nodes as unknown[]).length = 0;
    expect(JSON.stringify(first)).toBe(before);
  });
});

describe('validate', () => {
  it('uses the rules of a host, and names the field', async () => {
    const broken = workflow('w', { variables: { x: 'string' } }).set('a', { x: String('1 +') });
    expect(await broken.validate()).toMatchObject({ valid: false, field: 'nodes.0' });
    const loop = workflow('w').node('a', 'core.noop', {}).node('b', 'core.noop', {}).chain('a', 'b', 'a');
    expect(await loop.validate()).toMatchObject({
      valid: false,
      problem: expect.stringContaining('form a cycle'),
    });
  });

  it.each([
    [
      { nodes: [{ id: 'a', typeId: 'core.noop', config: JSON.parse('{"__proto__": 1}') }] },
      /key "__proto__"/,
    ],
    [{ nodes: [{ id: 'a', typeId: 'core.noop', config: { text: '\ud83d' } }] }, /./],
  ])('refuses what a host cannot store: %j', async (part, problem) => {
    const result = await fromJson({
      id: 'w',
      edges: [],
      ...part,
    } as unknown as WorkflowDefinition).validate();
    expect(result).toMatchObject({ valid: false, problem: expect.stringMatching(problem) });
  });

  it('tells warnings', async () => {
    const warned = workflow('w', {
      variables: { key: { type: 'string', sensitive: true, defaultValue: 'x' } },
    }).node('a', 'core.noop', {});
    expect(await warned.validate()).toMatchObject({
      valid: true,
      warnings: [expect.stringContaining('"key"')],
    });
  });
});

describe('plain JavaScript', () => {
  it('is told of mistakes that the compiler would have found', () => {
    const loose = fromJson({ id: 'w', nodes: [{ id: 'a', typeId: 'core.noop' }] });
    expect(() => loose.edge('a', 'b')).toThrow('The workflow "w" has no node "b".');
    expect(() => loose.delay('a', 1)).toThrow('The workflow "w" has a node "a" already.');
    expect(() =>
      loose.supervise({ lead: { plan: [{ next: 'x' as 'y' }] }, workers: { y: { run: 'z' } } }),
    ).toThrow('The plan names the worker "x"');
  });
});

it('an edge has an id of its ends, and each id is used once', () => {
  const built = workflow('w')
    .node('a', 'core.noop', {})
    .node('b', 'core.noop', {}, { after: 'a' })
    .edge('a', 'b', { when: 'true' });
  expect(built.toJSON().edges?.map(({ id }) => id)).toEqual(['a-to-b', 'a-to-b-2']);
});

it('nodes stand in columns, around one axis', () => {
  const built = workflow('w')
    .node('a', 'core.noop', {})
    .node('b', 'core.noop', {}, { after: 'a' })
    .node('c', 'core.noop', {}, { after: 'a' })
    .node('d', 'core.noop', {}, { after: ['b', 'c'] })
    .node('e', 'core.noop', {}, { position: { x: 7, y: 7 } });
  expect(built.toJSON().nodes.map(({ position }) => [position?.x, position?.y])).toEqual([
    [0, -60],
    [240, -60],
    [240, 60],
    [480, 0],
    [7, 7],
  ]);
});

it('conditions and inputs are written as the protocol has them', () => {
  const built = workflow('w', { variables: { a: 'string' } })
    .node('x', 'core.noop', {})
    .node(
      'y',
      'core.identity',
      {},
      {
        inputs: {
          one: 'a',
          two: { variable: 'a', optional: true },
          three: { node: 'x', output: 'o', optional: true },
          four: { expression: 'variables.a' },
          five: { value: [1] },
        },
      },
    )
    .edge('x', 'y', { id: '1', when: "variables.a == ''" })
    .edge('x', 'y', { id: '2', when: { left: 'variables.a', contains: 'b' } })
    .edge('x', 'y', { id: '3', when: { left: 'variables.a', equals: 'b' } })
    .edge('x', 'y', { id: '4', when: { left: 'variables.a', notEquals: 'b' } })
    .edge('x', 'y', {
      id: '5',
      when: { left: 'variables.a', matches: '^b' },
      label: 'l',
      triggerRule: 'any_success',
    });
  const { nodes, edges } = built.toJSON();
  expect(nodes[1]?.inputs).toEqual({
    one: { type: 'variable', variableName: 'a' },
    two: { type: 'variable', variableName: 'a', optional: true },
    three: { type: 'connection', nodeId: 'x', outputKey: 'o', optional: true },
    four: { type: 'expression', expression: 'variables.a' },
    five: { type: 'static', value: [1] },
  });
  expect(edges?.map(({ condition }) => condition)).toEqual([
    { type: 'expression', expression: "variables.a == ''" },
    { type: 'contains', left: 'variables.a', right: 'b' },
    { type: 'equals', left: 'variables.a', right: 'b' },
    { type: 'notEquals', left: 'variables.a', right: 'b' },
    { type: 'regex', left: 'variables.a', right: '^b' },
  ]);
});

/** Every node type of a host has a place in the builder: `node`, or a method of its own. */
const TYPES = {
  'core.ai.callPrompt': true,
  'core.ai.structuredOutput': true,
  'core.approvalGate': true,
  'core.channelWrite': true,
  'core.clarificationGate': true,
  'core.delay': true,
  'core.fail': true,
  'core.identity': true,
  'core.interrupt': true,
  'core.noop': true,
  'vendor.baton.memory.forget': true,
  'vendor.baton.memory.read': true,
  'vendor.baton.memory.write': true,
  'vendor.baton.workspace.read': true,
  'vendor.baton.workspace.write': true,
} satisfies Record<NodeTypeId, true>;

const BY_METHODS = [
  'core.agent',
  'core.dispatch',
  'core.orchestrator.supervisor',
  'core.subWorkflow',
  'vendor.baton.set',
];

it('the builder knows every node type that authors can use', () => {
  const ofAuthors = PRODUCT_NODES.ids.filter((id) => id !== 'baton.remote');
  expect([...Object.keys(TYPES), ...BY_METHODS].sort()).toEqual(ofAuthors);
});
