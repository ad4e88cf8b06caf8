import { afterAll, beforeAll, expect, it } from 'vitest';
import { boss, hand } from '../../packages/conformance/src/testkit/workflows.ts';
import { type Cluster, call, startCluster, startRun, statusOf } from './kit.ts';
import { asking, end, settledEffects, timesAsked, twoHosts } from './two-hosts.ts';

/** What the others do when a host hangs, stops or loses its database. */

/** Hands work out for a long time without a pause. */
const LOOP = { ...boss(Array.from({ length: 15_000 }, () => hand('steps'))), id: 'loop' };

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster([LOOP]);
}, 120_000);
afterAll(() => cluster?.stop());

it('replaces a host that hangs, which ends when it wakes up', async () => {
  const [one, other] = await twoHosts(cluster);
  cluster.model.take(6000);
  const names = Array.from({ length: 5 }, (_, at) => `paused ${at}`);
  const runs = await asking(cluster, one, names);
  one.signal('SIGSTOP');
  await expect.poll(() => timesAsked(cluster, names)).toEqual(names.map(() => 2));
  one.signal('SIGCONT');
  expect(await one.exited).toBe(75);
  expect(one.output()).toContain('other hosts have taken over');
  for (const runId of runs) {
    await expect.poll(() => statusOf(other, runId)).toBe('completed');
    expect(await settledEffects(other, runId)).toBe(1);
  }
  await end(other);
});

it('cancels through one host a run that another computes without a pause', async () => {
  const [one, other] = await twoHosts(cluster);
  const runId = await startRun(one, 'loop');
  await expect
    .poll(async () => (await call(other, 'GET', `/v1/runs/${runId}`)).body.lastSequence)
    .toBeGreaterThan(200);
  const { status } = await call(other, 'POST', `/v1/runs/${runId}/cancel`, {});
  expect(status).toBeLessThan(300);
  await expect.poll(() => statusOf(one, runId)).toBe('cancelled');
  const { body } = await call(one, 'GET', `/v1/runs/${runId}/events?limit=1`);
  expect(body.events[0].type).toBe('run.started');
  await end(one, other);
});

it('streams on one host the events of a run that another computes', async () => {
  const [one, other] = await twoHosts(cluster);
  cluster.model.take(500);
  const runId = await startRun(other, 'asks', { question: 'streamed' });
  const stream = await fetch(`${one.url}/v1/runs/${runId}/events`, {
    headers: { authorization: 'Bearer a-key-for-the-cluster-tests', accept: 'text/event-stream' },
  });
  let text = '';
  for await (const chunk of stream.body ?? []) text += Buffer.from(chunk).toString();
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  expect(ids).toEqual(ids.map((_, at) => at));
  expect(text).toContain('run.completed');
  await end(one, other);
});

it('answers 503 while Postgres is away, goes on when it is back, and buries nobody', async () => {
  const [one, other] = await twoHosts(cluster);
  cluster.model.take(3000);
  const names = ['restarted'];
  const [runId = ''] = await asking(cluster, one, names);
  await cluster.database().stop('at once');
  const refused = await call(other, 'POST', '/v1/runs', { workflowId: 'steps' });
  expect(refused).toMatchObject({ status: 503, body: { error: 'store_unavailable' } });
  await cluster.restartDatabase();
  await expect
    .poll(() =>
      startRun(other, 'steps').then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  await expect.poll(() => statusOf(other, runId)).toBe('completed');
  expect(await settledEffects(one, runId)).toBe(1);
  expect(timesAsked(cluster, names)).toEqual([1]);
  expect([one.isRunning(), other.isRunning()]).toEqual([true, true]);
  await end(one, other);
});

it('gives its work to the others when it is told to stop, after its calls are over', async () => {
  const [one, other] = await twoHosts(cluster);
  cluster.model.take(1500);
  const names = ['drained'];
  const [runId = ''] = await asking(cluster, one, names);
  const approval = await startRun(one, 'approves');
  one.signal('SIGTERM');
  expect(await one.exited).toBe(0);
  await expect.poll(() => statusOf(other, runId)).toBe('completed');
  expect(timesAsked(cluster, names)).toEqual([1]);
  const { status } = await call(other, 'POST', `/v1/runs/${approval}/interrupts/approve`, {
    resumeValue: { action: 'accept' },
  });
  expect(status).toBe(200);
  await expect.poll(() => statusOf(other, approval)).toBe('completed');
  await end(other);
});
