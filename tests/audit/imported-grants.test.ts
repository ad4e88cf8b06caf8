import type { DebugBundle } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import {
  boss,
  declare,
  hand,
  inOrder,
  node,
  TERMINATE,
  worker,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { answer, quiet, start } from '../driver/forking.ts';
import { type Bench, CALLER, startTestEngine } from '../driver/test-engine.ts';
import { bundleOf, importInto } from '../importing.ts';

/** Each kind of word that let a run go on elsewhere, and the very index at which it stops counting. */

const RUNNER = ['runs:create', 'workflows:write'];

async function taken(host: Bench, bundle: DebugBundle): Promise<string> {
  const reply = await importInto(host, bundle);
  if (!reply.ok) throw new Error(JSON.stringify(reply));
  return reply.value.runId;
}

async function branch(host: Bench, runId: string, fromSeq: number) {
  const body = { mode: 'branch', fromSeq } as const;
  const reply = await host.execute({ kind: 'fork-run', caller: CALLER, runId, body, scopes: RUNNER });
  await quiet();
  return reply;
}

const REFUSED = { ok: false, error: { error: 'forbidden', details: { scope: 'approvals:override' } } };
const line = (id: string, nodes: readonly Record<string, unknown>[]) =>
  workflow(id, nodes, { edges: inOrder(nodes) });
const call = (settings: Record<string, unknown>) =>
  node('call', 'core.subWorkflow', { workflowId: 'good', outputMapping: { report: 'text' } }, { settings });
const good = worker('good', { text: 'fine' });
const critic = workflow('critic', [node('judge', 'core.noop')], { variables: declare({ verdict: 'pass' }) });
const end = node('end', 'core.noop');
const agent = node('agent', 'core.conformance.mock-agent', {
  agentId: 'acme.agent',
  mockDecision: { decision: { go: true }, confidence: 0.1 },
});

describe('a branch of an imported run', () => {
  it.each<[string, Record<string, unknown>, string | undefined, string]>([
    [
      'an approval',
      line('w', [node('gate', 'core.approvalGate', { title: 'Go on?' }), end]),
      'gate',
      'approval.received',
    ],
    [
      'the verdict of a critic',
      line('w', [call({ verifier: { workflowId: 'critic' } }), end]),
      undefined,
      'agent.verified',
    ],
    [
      'an attestation',
      line('w', [call({ outputAttestation: { checksum: true } }), end]),
      undefined,
      'core.workflowChain.event',
    ],
    ['an agent that a person let pass', line('w', [agent, end]), 'agent', 'approval.received'],
  ])('takes nothing over that rests on %s', async (_what, definition, asked, type) => {
    const host = await startTestEngine();
    await host.register(definition, good, critic);
    const source = await start(host, 'w');
    if (asked !== undefined) await answer(host, source, asked);
    expect(await host.status(source)).toBe('completed');
    const there = await taken(host, await bundleOf(host, source));
    const types = await host.types(there);
    expect(types).toContain(type);
    expect(await branch(host, there, types.lastIndexOf('node.started'))).toMatchObject(REFUSED);
    // An answer begins a step of its own; other words stand in the middle of one.
    const free = asked === undefined ? 1 : types.indexOf(type);
    const before = await branch(host, there, free);
    expect(before).toMatchObject({ ok: true });
    if (!before.ok || before.value.kind !== 'fork') return;
    // What was approved behind the cut is no part of the branch, so a branch of the branch is taken too.
    const { runId, fromSeq } = before.value;
    expect(await branch(host, runId, fromSeq)).toMatchObject({ ok: true });
  });

  it('takes no attestation over either where nobody had let it in yet', async () => {
    const host = await startTestEngine();
    const asked = { outputAttestation: { checksum: true, requireApproval: true } };
    await host.register(line('w', [call(asked), end]), good);
    // With the scopes of the branch, so that nothing but the attestation stands in its way.
    const body = { workflowId: 'w' };
    const made = await host.execute({ kind: 'create-run', caller: CALLER, body, scopes: RUNNER });
    if (!made.ok || made.value.kind !== 'run') throw new Error(JSON.stringify(made));
    await quiet();
    const source = made.value.runId;
    await host.execute({ kind: 'cancel-run', caller: CALLER, runId: source });
    await quiet();
    const there = await taken(host, await bundleOf(host, source));
    expect(await branch(host, there, (await host.types(there)).indexOf('node.cancelled'))).toMatchObject(
      REFUSED,
    );
    expect(await branch(host, there, 1)).toMatchObject({ ok: true });
  });

  it('is not gone round by a replay that asks models again, which needs the definition to be registered', async () => {
    const host = await startTestEngine();
    await host.register(boss([hand('good'), TERMINATE]), good);
    const source = await start(host, 'boss');
    const bundle = await bundleOf(host, source);
    const other = await startTestEngine();
    const there = await taken(other, bundle);
    const body = { mode: 'replay', models: 'live' } as const;
    const asked = { kind: 'fork-run', caller: CALLER, runId: there, body, scopes: RUNNER } as const;
    expect(await other.execute(asked)).toMatchObject({
      ok: false,
      error: { error: 'forbidden', details: { scope: 'workflows:write' } },
    });
    expect(await other.execute({ ...asked, body: { mode: 'replay' } })).toMatchObject({ ok: true });
    await quiet();
  });
});
