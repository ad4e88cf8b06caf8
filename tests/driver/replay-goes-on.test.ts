import { modelCalls } from '@baton/agents';
import { describe, expect, it } from 'vitest';
import { edge, inOrder, node, remember, workflow } from '../../packages/engine/src/testkit/workflows.ts';
import { createMockProvider } from '../../packages/server/src/models/mock.ts';
import { answer, begin, fork, saw } from './rewinding.ts';
import { completionOf, startOf, stepByStep } from './step-by-step.ts';
import { CALLER, settled, startTestEngine } from './test-engine.ts';

/** A replay of a run that has not ended: at the end of the log of its source, it goes on by itself. */

const NOTES = [
  node('gate', 'core.approvalGate', { title: 'Go on?' }),
  node('write', 'vendor.baton.memory.write', { key: 'note', content: 'kept' }),
  node('read', 'vendor.baton.memory.read', { key: 'note', into: 'found' }),
];

it('it reads what it has written itself', async () => {
  const top = await startTestEngine();
  await top.register(workflow('notes', NOTES, { edges: inOrder(NOTES) }));
  const source = await begin(top, 'notes');
  const { runId: twin } = await fork(top, source, { mode: 'replay' });
  await answer(top, twin, 'gate', { action: 'accept' });
  await settled();
  expect(await top.status(twin)).toBe('completed');
  expect(await saw(top, twin, 'read')).toEqual(['note=kept']);
  expect(await top.reads.scope(CALLER.tenant, `run:${twin}`)).toMatchObject({ version: 1 });
  expect(await top.reads.scope(CALLER.tenant, `run:${source}`)).toBeUndefined();
});

it.each(['the run itself', 'a child'])('%s can look for an entry until it is there', async (who) => {
  const top = await startTestEngine();
  const probe = node('probe', 'core.identity', { memoryAction: 'write-then-read' });
  const below = node('below', 'core.subWorkflow', { workflowId: 'probes' });
  const nodes = [node('gate', 'core.approvalGate', { title: 'Go on?' }), who === 'a child' ? below : probe];
  await top.register(workflow('probes', [probe]), workflow('looks', nodes, { edges: inOrder(nodes) }));
  const { runId: twin } = await fork(top, await begin(top, 'looks'), { mode: 'replay' });
  await answer(top, twin, 'gate', { action: 'accept' });
  await settled();
  expect(await top.status(twin)).toBe('completed');
});

it.each([
  ['at once', false],
  ['after a restart', true],
])(
  'it keeps what a child remembered when the outputs of the child are approved %s',
  async (_when, restarts) => {
    let top = await startTestEngine();
    const settings = { outputAttestation: { requireApproval: true } };
    const nodes = [
      node('hand', 'core.subWorkflow', { workflowId: 'writer', outputMapping: {} }, { settings }),
      node('read', 'vendor.baton.memory.read', { key: 'note', into: 'found' }),
    ];
    await top.register(
      workflow('writer', [remember('note', { key: 'note', content: 'of the child' })]),
      workflow('gated', nodes, { edges: inOrder(nodes) }),
    );
    const source = await begin(top, 'gated');
    const { runId: twin } = await fork(top, source, { mode: 'replay' });
    if (restarts) {
      await settled();
      top = await top.crash();
    }
    await answer(top, twin, 'hand', { action: 'accept' });
    await settled();
    expect(await top.status(twin)).toBe('completed');
    expect(await saw(top, twin, 'read')).toEqual(['note=of the child']);
    expect(await top.reads.scope(CALLER.tenant, `run:${twin}`)).toMatchObject({ version: 1 });
    expect(await top.reads.scope(CALLER.tenant, `run:${source}`)).toBeUndefined();
  },
);

describe('it goes on with every run that can, after it has asked a model again', () => {
  const messages = { type: 'static', value: [{ role: 'user', content: 'Is it so?' }] };
  const model = { provider: 'mock', model: 'mock-mini', outputSchema: { type: 'object' } };
  const asks = workflow('asks', [node('call', 'core.ai.structuredOutput', model, { inputs: { messages } })]);
  const gate = node('gate', 'core.approvalGate', { title: 'Go on?' });
  const child = (id: string, workflowId: string) => node(id, 'core.subWorkflow', { workflowId });

  function answering() {
    const mock = createMockProvider();
    mock.program(CALLER.tenant, 'call', [{ content: '{}', stopReason: 'end_turn' }]);
    return modelCalls({ provider: () => mock });
  }

  it('the parent, whose child has ended in an earlier slice', async () => {
    let onCompletion = () => {};
    const top = await stepByStep([[completionOf('sub'), () => onCompletion()]], { perform: answering() });
    const nodes = [gate, child('sub', 'asks'), node('last', 'core.noop')];
    await top.register(asks, workflow('parent', nodes, { edges: inOrder(nodes) }));
    const source = await begin(top, 'parent');
    let twin: ReturnType<typeof fork> | undefined;
    onCompletion = () => {
      twin = fork(top, source, { mode: 'replay' });
    };
    await answer(top, source, 'gate');
    expect(await top.status((await twin)?.runId ?? '')).toBe('completed');
  });

  it('a sibling of the run that asked, which was under way', async () => {
    let letAnswer = () => {};
    const mayAnswer = new Promise<void>((resolve) => {
      letAnswer = resolve;
    });
    let onAnswer = () => {};
    const ask = answering();
    const top = await stepByStep(
      [
        [startOf('n1'), () => letAnswer()],
        ['"type":"baton.effect.settled"', () => onAnswer()],
      ],
      {
        perform: async (effect, context) => {
          await mayAnswer;
          return ask(effect, context);
        },
      },
    );
    const long = Array.from({ length: 20 }, (_, at) => node(`n${at}`, 'core.noop'));
    await top.register(
      asks,
      workflow('long', long, { edges: inOrder(long) }),
      workflow('parent', [gate, child('sub', 'asks'), child('beside', 'long')], {
        edges: [edge('gate', 'sub'), edge('gate', 'beside')],
      }),
    );
    const source = await begin(top, 'parent');
    let twin: ReturnType<typeof fork> | undefined;
    onAnswer = () => {
      twin = fork(top, source, { mode: 'replay' });
    };
    await answer(top, source, 'gate');
    expect(await top.status((await twin)?.runId ?? '')).toBe('completed');
  });
});
