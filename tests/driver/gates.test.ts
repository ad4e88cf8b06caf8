import { describe, expect, it } from 'vitest';
import {
  boss,
  declare,
  hand,
  node,
  TERMINATE,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { verifies } from '../verifies.ts';
import { type Bench, CALLER, handClock, settled, startTestEngine } from './test-engine.ts';

/** What is at the gate survives the process, and so does the gate. */

const MAPPING = { outputMapping: { report: 'text' } };
const writer = workflow('writer', [node('work', 'core.noop')], { variables: declare({ text: 'draft' }) });
const critic = (nodes: Record<string, unknown>[]) =>
  workflow('critic', nodes, { variables: declare({ verdict: 'pass' }) });

const parent = (settings: Record<string, unknown>) => {
  const definition = boss([hand('writer'), TERMINATE], MAPPING) as { nodes: Record<string, unknown>[] };
  definition.nodes[1] = { ...definition.nodes[1], settings };
  return definition;
};

const answer = (host: Bench, runId: string, nodeId: string, resumeValue: Record<string, string>) =>
  host.execute({
    kind: 'resolve-interrupt',
    caller: CALLER,
    runId,
    target: { nodeId },
    resumeValue,
    viaToken: false,
    scopes: [],
  });

const merged = async (host: Bench, runId: string) =>
  (await host.events(runId)).flatMap((event) =>
    event.type === 'variable.changed' ? [event.payload.next] : [],
  );

describe('a crash at the gate', () => {
  it('leaves the outputs outside while a person is asked, and inside once the person has answered', async () => {
    verifies('ATTEST-15');
    const before = await startTestEngine();
    await before.register(parent({ outputAttestation: { requireApproval: true } }), writer);
    const runId = await before.create('boss');
    const after = await before.crash();
    expect(await merged(after, runId)).toEqual([]);
    expect(await after.status(runId)).toBe('waiting-approval');
    expect(await answer(after, runId, 'dispatch', { action: 'accept' })).toMatchObject({ ok: true });
    expect(await merged(after, runId)).toEqual(['draft']);
    const again = await after.crash();
    expect(await again.status(runId)).toBe('completed');
    expect(await merged(again, runId)).toEqual(['draft']);
  });

  it('goes on with a critic that was thinking, and asks it only once', async () => {
    const before = await startTestEngine();
    await before.register(
      parent({ verifier: { workflowId: 'critic' } }),
      writer,
      critic([node('think', 'core.approvalGate')]),
    );
    const runId = await before.create('boss');
    const after = await before.crash();
    expect(await merged(after, runId)).toEqual([]);
    await answer(after, `${runId}.2`, 'think', { action: 'accept' });
    await settled();
    expect(await merged(after, runId)).toEqual(['draft']);
    expect((await after.types(runId)).filter((type) => type === 'baton.critic.started')).toHaveLength(1);
    expect(await after.status(runId)).toBe('completed');
  });

  it('counts a critic as late that went past its time while the host was down', async () => {
    const time = handClock();
    const before = await startTestEngine({ clock: time.clock });
    await before.register(
      parent({ verifier: { workflowId: 'critic', timeoutMs: 1000 } }),
      writer,
      critic([node('doze', 'core.delay', { ms: 500 })]),
    );
    const runId = await before.create('boss');
    const later = handClock(time.clock.now() + 5000);
    const after = await before.crash({ clock: later.clock });
    expect(
      (await after.events(runId)).find((event) => event.type === 'agent.verified')?.payload,
    ).toMatchObject({
      verdict: 'fail',
    });
    expect(await merged(after, runId)).toEqual([]);
    expect(await after.status(runId)).toBe('waiting-approval');
  });

  it('lets a cancel win over an accept that came in the same moment', async () => {
    const host = await startTestEngine();
    await host.register(parent({ outputAttestation: { requireApproval: true } }), writer);
    const runId = await host.create('boss');
    const [accepted] = await Promise.all([
      answer(host, runId, 'dispatch', { action: 'accept' }),
      host.execute({ kind: 'cancel-run', caller: CALLER, runId }),
    ]);
    expect(accepted).toMatchObject({ ok: false });
    expect(await merged(host, runId)).toEqual([]);
    expect(await host.status(runId)).toBe('cancelled');
  });
});

describe('a crash between a decision and its answer', () => {
  it('keeps the decision waiting, and goes on with the next iteration after the answer', async () => {
    verifies('STATE-09', 'CONF-04');
    const before = await startTestEngine();
    await before.register(boss([{ ...hand('writer'), confidence: 0.1 }, TERMINATE]), writer);
    const runId = await before.create('boss');
    const after = await before.crash();
    expect(await after.types(runId)).not.toContain('core.workflowChain.event');
    await answer(after, runId, 'supervisor', { action: 'accept' });
    await settled();
    const iterations = (await after.events(runId)).flatMap((event) =>
      event.type === 'runOrchestrator.decided' ? [event.payload.iteration] : [],
    );
    expect(iterations).toEqual([1, 2]);
    expect(await after.status(runId)).toBe('completed');
  });
});
