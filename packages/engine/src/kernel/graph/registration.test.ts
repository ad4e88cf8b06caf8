import { describe, expect, it } from 'vitest';
import { CONFORMANCE_NODES } from '../../../../conformance/src/nodes/index.ts';
import { ALL_FEATURES, compile } from '../../../../conformance/src/testkit/simulation.ts';
import { boss, edge, node, TERMINATE, workflow } from '../../../../conformance/src/testkit/workflows.ts';
import { checkDefinition } from './registration.ts';

const refused = (definition: unknown, field: string) =>
  expect(() => compile([definition])).toThrow(
    expect.objectContaining({ code: 'validation_error', details: expect.objectContaining({ field }) }),
  );

const check = (definition: unknown) =>
  checkDefinition(definition, ALL_FEATURES, CONFORMANCE_NODES.of, CONFORMANCE_NODES.ids);

describe('definitions that are refused, each with the field to change', () => {
  const a = node('a', 'core.noop');
  it.each([
    ['nothing', {}, 'id'],
    ['a bad id', workflow('Not An Id', [a]), 'id'],
    ['no nodes', workflow('w', []), 'nodes'],
    ['an unknown field', { ...workflow('w', [a]), colour: 'red' }, 'colour'],
    ['an unknown node type', workflow('w', [node('a', 'core.teleport')]), 'nodes.0.typeId'],
    ['two nodes with one id', workflow('w', [a, a]), 'nodes.1.id'],
    ['a bad config', workflow('w', [node('a', 'core.delay', { ms: -1 })]), 'nodes.0.config.ms'],
    [
      'an unknown config field',
      workflow('w', [node('a', 'core.delay', { seconds: 1 })]),
      'nodes.0.config.seconds',
    ],
    ['an edge to nowhere', workflow('w', [a], { edges: [edge('a', 'b')] }), 'edges.0.targetNodeId'],
    ['an edge from nowhere', workflow('w', [a], { edges: [edge('b', 'a')] }), 'edges.0.sourceNodeId'],
    [
      'an unknown trigger rule',
      workflow('w', [a], { edges: [edge('a', 'a', { triggerRule: 'perhaps' })] }),
      'edges.0.triggerRule',
    ],
    [
      'a cycle',
      workflow('w', [a, node('b', 'core.noop')], { edges: [edge('a', 'b'), edge('b', 'a')] }),
      'edges',
    ],
    ['a node that leads to itself', workflow('w', [a], { edges: [edge('a', 'a')] }), 'edges'],
    ['a bad port', workflow('w', [{ ...a, inputs: { x: { type: 'magic' } } }]), 'nodes.0.inputs.x.type'],
    [
      'a schema for answers that is none',
      workflow('w', [
        node('a', 'core.interrupt', { kind: 'custom', data: { customKind: 'x' }, resumeSchema: { type: 5 } }),
      ]),
      'nodes.0.config.resumeSchema',
    ],
    [
      'a schema for a question that is none',
      workflow('w', [
        node('a', 'core.clarificationGate', {
          questions: [{ id: 'q', question: '?', schema: { pattern: '(' } }],
        }),
      ]),
      'nodes.0.config.questions.0.schema',
    ],
    [
      'a schema for options that is none',
      workflow('w', [a], { configurableSchema: { type: 'wish' } }),
      'configurableSchema',
    ],
    [
      'a quorum that the list of approvers cannot fill',
      workflow('w', [node('a', 'core.approvalGate', { approversList: ['bo', 'bo'], requiredApprovals: 2 })]),
      'nodes.0.config.requiredApprovals',
    ],
    [
      'such a quorum at a gate',
      workflow('w', [
        node(
          'a',
          'core.subWorkflow',
          { workflowId: 'x' },
          {
            settings: {
              outputAttestation: { requireApproval: true, approversList: ['bo'], requiredApprovals: 2 },
            },
          },
        ),
      ]),
      'nodes.0.settings.outputAttestation.requiredApprovals',
    ],
    [
      'such a quorum in the config of a sub-workflow',
      workflow('w', [
        node('a', 'core.subWorkflow', {
          workflowId: 'x',
          outputAttestation: { requireApproval: true, approversList: ['bo'], requiredApprovals: 2 },
        }),
      ]),
      'nodes.0.config.outputAttestation.requiredApprovals',
    ],
    [
      'a sensitive counter',
      workflow('w', [a], { channels: { votes: { reducer: 'counter', sensitive: true } } }),
      'channels.votes.sensitive',
    ],
    ['a bad agent', workflow('w', [{ ...a, agent: { agentId: 'x' } }]), 'nodes.0.agent.agentId'],
  ])('%s', (_what, definition, field) => refused(definition, field));

  const LOOSE = [
    node('supervisor', 'core.orchestrator.supervisor'),
    node('dispatch', 'core.dispatch'),
    node('between', 'core.noop'),
  ];

  it('READ-34 warns that a dispatch node behind other nodes gets one decision only', () => {
    const edges = [edge('supervisor', 'between'), edge('between', 'dispatch')];
    const { warnings } = check(workflow('w', LOOSE, { edges }));
    expect(warnings).toEqual([expect.stringMatching(/"dispatch" gets one decision only/)]);
    const loop = [edge('supervisor', 'dispatch')];
    expect(check(workflow('w', LOOSE, { edges: loop })).warnings).toEqual([]);
  });

  it('SCOPE-03 READ-40 warns of scopes that this host does not know, and registers all the same', () => {
    const outputAttestation = { principalScope: ['report:write', 'runs:read'] };
    const verifier = { workflowId: 'critic', principalScope: ['report:read'] };
    const { warnings } = check(
      workflow('w', [
        node('config', 'core.subWorkflow', { workflowId: 'v', outputAttestation }),
        node(
          'settings',
          'core.subWorkflow',
          { workflowId: 'v' },
          { settings: { outputAttestation, verifier } },
        ),
      ]),
    );
    expect(warnings).toEqual([
      expect.stringMatching(/"config": "report:write" .* grants nothing/),
      expect.stringMatching(/"settings": "report:write" .* grants nothing/),
      expect.stringMatching(/"settings": "report:read" .* grants nothing/),
    ]);
  });

  it.each([
    [
      'a condition',
      [edge('supervisor', 'dispatch', { condition: { type: 'expression', expression: 'true' } })],
    ],
    ['another way in', [edge('supervisor', 'dispatch'), edge('between', 'dispatch')]],
  ])('READ-34 refuses a loop without an edge back that has %s, as it does one with it', (_what, edges) => {
    expect(() => check(workflow('w', LOOSE, { edges }))).toThrow(/loop/);
  });

  it('accepts the back edge between a supervisor and its dispatch node', () => {
    expect(() => compile([boss([TERMINATE])])).not.toThrow();
  });

  it('warns of a sensitive variable whose default everybody can read', () => {
    const variables = [
      { name: 'open', type: 'string', defaultValue: 'x' },
      { name: 'key', type: 'string', defaultValue: 'x', sensitive: true },
    ];
    const { warnings } = checkDefinition(
      workflow('w', [node('a', 'core.noop')], { variables }),
      ALL_FEATURES,
      CONFORMANCE_NODES.of,
      CONFORMANCE_NODES.ids,
    );
    expect(warnings).toEqual([expect.stringContaining('"key" is sensitive')]);
  });

  it('fills in what the author left out', () => {
    const plan = compile([workflow('w', [node('a', 'core.noop')])]).get('w')!.plan;
    expect(plan.definition).toMatchObject({
      name: 'w',
      version: '1.0',
      edges: [],
      variables: [],
      settings: {},
    });
  });
});
