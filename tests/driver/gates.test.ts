import { describe, expect, it } from 'vitest';
import {
  declare,
  gatedBoss,
  node,
  worker,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { verifies } from '../verifies.ts';
import { answer } from './forking.ts';
import { type Bench, handClock, startTestEngine } from './test-engine.ts';

/** What is at the gate survives the process, and so does the gate. */

const MAPPING = { outputMapping: { report: 'text' } };
const writer = worker('writer', { text: 'draft' });
const critic = (nodes: Record<string, unknown>[]) =>
  workflow('critic', nodes, { variables: declare({ verdict: 'pass' }) });

const parent = (settings: Record<string, unknown>) => gatedBoss(settings, MAPPING);

const merged = async (host: Bench, runId: string) =>
  (await host.of(runId, 'variable.changed')).map(({ payload }) => payload.next);

describe('a crash at the gate', () => {
  it('leaves the outputs outside while a person is asked, and inside once the person has answered', async () => {
    verifies('ATTEST-15');
    const before = await startTestEngine();
    await before.register(parent({ outputAttestation: { requireApproval: true } }), writer);
    const runId = await before.create('boss');
    const after = await before.crash();
    expect(await merged(after, runId)).toEqual([]);
    expect(await after.status(runId)).toBe('waiting-approval');
    await answer(after, runId, 'dispatch');
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
    await answer(after, `${runId}.2`, 'think');
    expect(await merged(after, runId)).toEqual(['draft']);
    expect(await after.of(runId, 'baton.critic.started')).toHaveLength(1);
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
    expect((await after.of(runId, 'agent.verified')).map(({ payload }) => payload.verdict)).toEqual(['fail']);
    expect(await merged(after, runId)).toEqual([]);
    expect(await after.status(runId)).toBe('waiting-approval');
  });
});
