import type { RunOrigin } from '@baton/protocol';
import { expect, it } from 'vitest';
import { node } from '../../packages/engine/src/testkit/workflows.ts';
import { fork, line, quiet, replay } from './forking.ts';
import { type Bench, CALLER, startTestEngine } from './test-engine.ts';

/** Forks of a run that another host has started. */

const origin: RunOrigin = {
  cause: 'a2a-message',
  hostId: 'host-acme',
  runId: 'run-of-acme',
  causationId: 'run-of-acme:7',
  wellKnownUrl: 'https://acme.example/.well-known/openwop',
};

async function startOf(top: Bench, runId: string) {
  const [first] = await top.events(runId);
  return first?.type === 'run.started' ? first.payload : undefined;
}

it('A branch from the beginning was started by a person here, a replay repeats what its source recorded', async () => {
  const top = await startTestEngine();
  await top.register(line('quick', [node('n', 'core.noop')]));
  const lineage = ['@host-acme/desk'];
  const reply = await top.execute({
    kind: 'create-run',
    caller: CALLER,
    body: { workflowId: 'quick' },
    origin,
    lineage,
  });
  if (!reply.ok || reply.value.kind !== 'run') throw new Error(JSON.stringify(reply));
  await quiet();
  const { runId } = reply.value;
  expect(await startOf(top, runId)).toMatchObject({ origin, lineage });
  const repeated = await replay(top, runId);
  expect(await startOf(top, repeated)).toMatchObject({ origin, lineage });
  expect(await top.types(repeated)).not.toContain('replay.diverged');
  const branched = await startOf(top, await fork(top, runId, { mode: 'branch', fromSeq: 0 }));
  expect(branched).not.toHaveProperty('origin');
  expect(branched).not.toHaveProperty('lineage');
});
