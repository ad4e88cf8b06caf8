import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../tests/verifies.ts';
import { type Simulation, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import {
  gatedBoss,
  gatedCall,
  waitingWorker,
  worker,
} from '../../../../conformance/src/testkit/workflows.ts';
import { nodeView } from '../../snapshot.ts';

type Config = Record<string, unknown>;

const mapping = { outputMapping: { report: 'text' } };
const OTHERS = [worker('writer', { text: 'draft' }), waitingWorker('critic', { verdict: 'pass' })];
const APPROVED = { outputAttestation: { checksum: true, requireApproval: true } };
const JUDGED = { verifier: { workflowId: 'critic' } };

describe.each([
  ['approval on a dispatch', gatedBoss, APPROVED],
  ['approval on a sub-workflow', gatedCall, APPROVED],
  ['verdict on a dispatch', gatedBoss, JUDGED],
  ['verdict on a sub-workflow', gatedCall, JUDGED],
] as const)('a run that is stopped while a child waits for %s', (_way, parent, settings) => {
  it.each<[string, Config, (run: Simulation) => void]>([
    ['cancelled', {}, (run) => run.cancel()],
    ['timed out', {}, (run) => run.tick(run.run().limits.durationMs + 1)],
    ['stopped with its node', { timeoutMs: 1000 }, (run) => run.tick(1000)],
  ])('says in log and snapshot that the child was not merged: %s', (_what, more, stop) => {
    verifies('ATTEST-19', 'ATTEST-15');
    const run = simulate([parent({ ...settings, ...more }, mapping), ...OTHERS]);
    stop(run);
    const [settled, ...others] = run.of('baton.merge.settled');
    expect(settled!.payload).toMatchObject({
      workerId: 'writer',
      childRunId: 'root.1',
      merged: false,
      why: 'stopped',
    });
    expect(others).toEqual([]);
    expect(run.run().variables).not.toHaveProperty('report');
    expect(nodeView(run.run().nodes.dispatch!)).toMatchObject({
      merged: false,
      workers: [{ childRunId: 'root.1', merged: false, why: 'stopped' }],
    });
  });
});

it('a run that is stopped while its child works says nothing about a gate', () => {
  const run = simulate([gatedCall(APPROVED, mapping), waitingWorker('writer')]);
  run.cancel();
  expect(run.of('baton.merge.settled')).toEqual([]);
});
