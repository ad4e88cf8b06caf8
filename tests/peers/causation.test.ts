import type { RunOrigin } from '@baton/protocol';
import { CROSS_HOST_TYPES, EVENT_PAYLOADS, EVENT_TYPES, type JsonObject } from '@baton/protocol';
import { expect, it } from 'vitest';
import { boss, hand, TERMINATE, worker } from '../../packages/conformance/src/testkit/workflows.ts';
import { agent, agentBench, register, said } from '../agents/bench.ts';
import { fork, quiet, replay } from '../driver/forking.ts';
import { type Bench, CALLER, startTestEngine } from '../driver/test-engine.ts';
import { verifies } from '../verifies.ts';

/** A run that another host has asked for, and which of its events say so. */

const ORIGIN: RunOrigin = {
  cause: 'a2a-message',
  hostId: 'host-a',
  runId: 'run-of-a.1',
  causationId: 'run-of-a.1:4',
  wellKnownUrl: 'https://a.example/.well-known/openwop',
};

async function started(host: Bench, body: JsonObject): Promise<string> {
  const lineage = ['@host-a/desk'];
  const reply = await host.execute({ kind: 'create-run', caller: CALLER, body, origin: ORIGIN, lineage });
  if (!reply.ok || reply.value.kind !== 'run') throw new Error(JSON.stringify(reply));
  await quiet();
  return reply.value.runId;
}

const fromElsewhere = async (host: Bench, runId: string) =>
  (await host.events(runId)).filter(({ payload }) => 'causationHostId' in payload);

it('XHOST-04 only the events that the protocol lists can name a host', () => {
  const able = EVENT_TYPES.filter((type) => JSON.stringify(EVENT_PAYLOADS[type]).includes('causationHostId'));
  expect([...able].sort()).toEqual([...CROSS_HOST_TYPES].sort());
});

it('names the other host in the first decision of a supervisor, and in no other event', async () => {
  verifies('XHOST-01', 'XHOST-03');
  const host = await startTestEngine();
  await host.register(boss([hand('helper'), TERMINATE]), worker('helper'));
  const runId = await started(host, { workflowId: 'boss' });
  expect(await host.status(runId)).toBe('completed');
  const [first, ...more] = await fromElsewhere(host, runId);
  expect(more).toEqual([]);
  expect(first).toMatchObject({
    type: 'runOrchestrator.decided',
    causationId: ORIGIN.causationId,
    payload: { causationHostId: 'host-a', iteration: 1 },
  });
  expect((await host.events(runId))[0]?.payload).toMatchObject({ origin: ORIGIN });
  expect((await host.events(runId))[0]).not.toHaveProperty('causationId');
});

it('XHOST-01 names the other host in the prompt of an agent', async () => {
  const { host } = await agentBench({ agents: [agent()], models: [said('Done.')] });
  await register(host, agent());
  const runId = await started(host, { agentId: agent().agentId, inputs: { task: 'Write.' } });
  expect(await fromElsewhere(host, runId)).toMatchObject([
    { type: 'agent.promptResolved', causationId: ORIGIN.causationId },
  ]);
});

it('is repeated by a replay, and not by a branch', async () => {
  const host = await startTestEngine();
  await host.register(boss([hand('helper'), TERMINATE]), worker('helper'));
  const runId = await started(host, { workflowId: 'boss' });
  const copy = await replay(host, runId);
  expect(await host.types(copy)).toEqual(await host.types(runId));
  expect(await fromElsewhere(host, copy)).toHaveLength(1);
  const branch = await fork(host, runId, { mode: 'branch', fromSeq: 0 });
  expect(await fromElsewhere(host, branch)).toEqual([]);
});
