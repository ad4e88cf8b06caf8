import { expect, it } from 'vitest';
import { inOrder, node, remember, workflow } from '../../packages/engine/src/testkit/workflows.ts';
import { answer, begin, fork, saw } from './rewinding.ts';
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
