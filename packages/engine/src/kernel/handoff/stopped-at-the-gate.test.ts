import type { EventOf, RunEvent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../tests/verifies.ts';
import { type Simulation, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  declare,
  hand,
  node,
  TERMINATE,
  waitingWorker,
  worker,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';
import { nodeView } from '../../snapshot.ts';

type Config = Record<string, unknown>;

const mapping = { outputMapping: { report: 'text' } };
const writer = worker('writer', { text: 'draft' });
const APPROVED = { outputAttestation: { checksum: true, requireApproval: true } };
const JUDGED = { verifier: { workflowId: 'critic' } };

const dispatching = (settings: Config, more: Config) => {
  const parent = boss([hand('writer'), TERMINATE], mapping) as { nodes: Config[] };
  parent.nodes[1] = { ...parent.nodes[1], settings: { ...settings, ...more } };
  return simulate([parent, writer, waitingWorker('critic', { verdict: 'pass' })]);
};
const calling = (settings: Config, more: Config) => {
  const call = node(
    'dispatch',
    'core.subWorkflow',
    { workflowId: 'writer', ...mapping },
    { settings: { ...settings, ...more } },
  );
  return simulate([
    workflow('parent', [call], { variables: declare({}) }),
    writer,
    waitingWorker('critic', { verdict: 'pass' }),
  ]);
};

const of = <T extends RunEvent['type']>(run: Simulation, type: T) =>
  run.events().filter((event): event is EventOf<T> => event.type === type);

const WAYS = [
  ['approval on a dispatch', dispatching, APPROVED],
  ['approval on a sub-workflow', calling, APPROVED],
  ['verdict on a dispatch', dispatching, JUDGED],
  ['verdict on a sub-workflow', calling, JUDGED],
] as const;

describe.each(WAYS)('a run that is stopped while a child waits for %s', (_way, start, settings) => {
  it.each<[string, Config, (run: Simulation) => void]>([
    ['cancelled', {}, (run) => run.cancel()],
    ['timed out', {}, (run) => run.tick(run.run().limits.durationMs + 1)],
    ['stopped with its node', { timeoutMs: 1000 }, (run) => run.tick(1000)],
  ])('says in log and snapshot that the child was not merged: %s', (_what, more, stop) => {
    verifies('ATTEST-19', 'ATTEST-15');
    const run = start(settings, more);
    stop(run);
    const [settled, ...others] = of(run, 'baton.merge.settled');
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
  const call = node('dispatch', 'core.subWorkflow', { workflowId: 'w', ...mapping }, { settings: APPROVED });
  const run = simulate([workflow('parent', [call]), waitingWorker('w')]);
  run.cancel();
  expect(of(run, 'baton.merge.settled')).toEqual([]);
});
