import { expect, it } from 'vitest';
import { inOrder, node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { answer } from './rewinding.ts';
import { CALLER, handClock, startTestEngine } from './test-engine.ts';

/** Two engines on one store. Each has its own memory, and learns from conflicts that the other has written. */

it('a run writes a file after another host has written one', async () => {
  const { clock } = handClock();
  const here = await startTestEngine({ clock });
  const there = await startTestEngine({ clock, folder: here.folder });
  const looks = [node('look', 'vendor.baton.workspace.read', { path: 'a.md' })];
  const writes = [node('write', 'vendor.baton.workspace.write', { path: 'a.md', content: 'from here' })];
  await here.register(
    workflow('looks', looks, { edges: inOrder(looks) }),
    workflow('writes', writes, { edges: inOrder(writes) }),
  );
  await here.create('looks');
  const file = { workspace: 'default', path: 'b.md', content: 'from there', contentType: 'text/plain' };
  expect(await there.execute({ kind: 'put-file', caller: CALLER, ...file })).toMatchObject({ ok: true });
  const runId = await here.create('writes');
  expect(await here.status(runId)).toBe('completed');
});

it('a remembered cancel reaches a child that another host has started', async () => {
  const { clock } = handClock();
  const here = await startTestEngine({ clock });
  const there = await startTestEngine({ clock, folder: here.folder });
  const gate = node('gate', 'core.approvalGate', { title: 'Go on?' });
  const nodes = [gate, node('below', 'core.subWorkflow', { workflowId: 'waits' })];
  await here.register(workflow('waits', [gate]), workflow('above', nodes, { edges: inOrder(nodes) }));
  const runId = await here.create('above');
  // The other host has the tree in memory from here on.
  await there.execute({ kind: 'resume-run', caller: CALLER, runId });
  await answer(here, runId, 'gate');
  const childId = `${runId}.1`;
  expect(await here.status(childId)).toBe('waiting-approval');
  const idempotency = { key: 'once', request: 'cancel' };
  const reply = await there.execute({ kind: 'cancel-run', caller: CALLER, runId: childId, idempotency });
  expect(reply).toMatchObject({ ok: true, value: { status: 'cancelled' } });
  expect(await here.status(childId)).toBe('cancelled');
});
