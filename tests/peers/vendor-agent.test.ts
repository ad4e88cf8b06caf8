import { storageAt } from '@baton/server/storage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WIRE_VERSIONS } from '../a2a/a2a-client.ts';
import { eventually } from '../eventually.ts';
import type { TestHost } from '../http/host.ts';
import { A, hostNamed, transitionsOf } from './two-hosts.ts';
import { startVendorAgent, type VendorAgent } from './vendor-agent.ts';

/** An agent of another vendor as a worker. It signs nothing and recognises no repeated message. */

describe.each(WIRE_VERSIONS)('an agent of another vendor with A2A %s', (version) => {
  let a: TestHost;
  let agent: VendorAgent;

  beforeAll(async () => {
    agent = await startVendorAgent(version);
    a = await hostNamed(A);
    const store = await storageAt({ kind: 'sqlite', folder: a.folder }).openStore();
    await store.putPeer({
      ...{ name: 'stranger', url: agent.url, kind: 'a2a', tenant: 'peer-stranger', publishes: [] },
      createdAt: 0,
    });
    await store.close();
  }, 60_000);
  afterAll(async () => {
    await a.stop();
    agent.close();
  });

  const handOver = async (topic: string) => (await a.run('hand-stranger', { inputs: { topic } })).body;

  it('does the work', async () => {
    expect(await handOver('owls')).toMatchObject({ status: 'completed', variables: { report: 'OWLS' } });
    expect(agent.heard).toEqual(['owls']);
    // The card, the message, and at least one look at the task.
    expect(agent.traces.length).toBeGreaterThanOrEqual(3);
    for (const one of agent.traces) expect(one).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  it('may answer without a task', async () => {
    expect(await handOver('reply')).toMatchObject({ status: 'completed', variables: { report: 'At once.' } });
  });

  it('may fail, and says why', async () => {
    const run = await handOver('fail');
    expect(run).toMatchObject({ status: 'failed', error: { code: 'child_failed' } });
    const failed = (await transitionsOf(a, { runId: run.runId, child: `${run.runId}.1` })).at(-1);
    expect(failed).toMatchObject({
      phase: 'child.failed',
      error: { message: expect.stringContaining('No paper left.') },
    });
  });

  it('may ask a question, which a person here answers', async () => {
    const before = agent.traces.length;
    const { body } = await a.post('/v1/runs', { workflowId: 'hand-stranger', inputs: { topic: 'ask' } });
    const child = `${body.runId}.1`;
    const asked = await eventually(async () => {
      const run = await a.get(`/v1/runs/${child}`);
      expect(run.body.status).toBe('waiting-input');
      return run.body.interrupt;
    });
    expect(asked).toMatchObject({
      kind: 'clarification',
      data: { questions: [{ question: 'Which colour?' }] },
    });
    const answered = await a.post(`/v1/runs/${child}/interrupts/remote`, {
      resumeValue: { answers: { answer: 'green' } },
    });
    expect(answered.status).toBe(200);
    await eventually(async () => {
      const run = await a.get(`/v1/runs/${body.runId}`);
      expect(run.body).toMatchObject({ status: 'completed', variables: { report: 'GREEN' } });
    });
    expect(agent.heard.slice(-2)).toEqual(['ask', 'green']);
    const { traceId } = (await a.get(`/v1/runs/${body.runId}`)).body;
    expect(new Set(agent.traces.slice(before).map((one) => one?.slice(3, 35)))).toEqual(new Set([traceId]));
  });
});
