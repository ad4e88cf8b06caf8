/** Small workflows that the HTTP tests drive. */

interface Node {
  readonly id: string;
  readonly typeId: string;
  readonly config: object;
  readonly inputs?: object;
  readonly settings?: object;
}

const node = (id: string, typeId: string, config: object = {}): Node => ({ id, typeId, config });

function chain(id: string, nodes: readonly Node[], more: object = {}) {
  const edges = nodes
    .slice(1)
    .map((target, index) => ({ sourceNodeId: nodes[index]?.id, targetNodeId: target.id }));
  return { id, nodes, edges, ...more };
}

const payload = { payload: { type: 'variable', variableName: 'payload', optional: true } };

export const WORKFLOWS: readonly unknown[] = [
  chain('quick', [node('only', 'core.noop')]),
  chain('three-steps', [node('a', 'core.noop'), node('b', 'core.noop'), node('c', 'core.noop')]),
  chain('echo', [{ ...node('echo', 'core.identity'), inputs: payload }], {
    variables: [{ name: 'payload', type: 'object' }],
  }),
  chain('slow', [node('wait', 'core.delay', { ms: 60_000 })]),
  chain('short-wait', [node('wait', 'core.delay', { ms: 300 }), node('after', 'core.noop')]),
  chain('doomed', [node('break', 'core.fail', { code: 'it_broke', message: 'as it was told to' })]),
  chain('gate', [
    node('gate', 'core.approvalGate', {
      title: 'Ship it?',
      actions: ['accept', 'reject', 'refine', 'edit-accept'],
    }),
  ]),
  chain('needs-artifacts', [
    { ...node('read', 'core.noop'), settings: { requiredScopes: ['artifacts:read'] } },
  ]),
  chain('strict-gate', [
    node('gate', 'core.approvalGate', { requiredApprovals: 2, overrideBypassesQuorum: true }),
  ]),
  chain('guarded-gate', [
    node('gate', 'core.approvalGate', {
      title: 'Who are you?',
      actions: ['accept', 'reject'],
      profile: 'openwop-interrupt-auth-required',
    }),
  ]),
  chain('question', [
    node('ask', 'core.clarificationGate', { questions: [{ id: 'q1', question: 'Which colour?' }] }),
  ]),
  chain('delivery', [
    node('arrival', 'core.interrupt', {
      kind: 'external-event',
      data: { eventType: 'order.shipped', correlation: { orderId: 'o-1' } },
    }),
  ]),
  chain('picky', [node('only', 'core.noop')], {
    configurableSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      additionalProperties: false,
      properties: { recursionLimit: { type: 'integer', minimum: 1 }, flavour: { type: 'string' } },
    },
  }),
  chain('parent', [node('call', 'core.subWorkflow', { workflowId: 'gate' })]),
  chain('talkative', [
    node('speak', 'core.conformance.mock-agent', { agentId: 'speaker', mockReasoning: true }),
  ]),
  {
    id: 'loop',
    nodes: [
      node('supervisor', 'core.orchestrator.supervisor', {
        script: [{ kind: 'next-worker', nextWorkerIds: ['quick'] }, { kind: 'terminate' }],
      }),
      node('dispatch', 'core.dispatch'),
    ],
    edges: [
      { sourceNodeId: 'supervisor', targetNodeId: 'dispatch' },
      { sourceNodeId: 'dispatch', targetNodeId: 'supervisor' },
    ],
  },
];
