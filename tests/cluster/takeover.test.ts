import { afterAll, beforeAll, expect, it } from 'vitest';
import { boss, hand } from '../../packages/engine/src/testkit/workflows.ts';
import { type Cluster, type ClusterHost, call, startCluster, startRun, statusOf } from './kit.ts';

/** What the others do when a host is killed, hangs, stops or loses its database. */

/** Hands work out for a long time without a pause. */
const LOOP = { ...boss(Array.from({ length: 15_000 }, () => hand('steps'))), id: 'loop' };

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster([LOOP]);
}, 120_000);
afterAll(() => cluster?.stop());

async function twoHosts(): Promise<readonly [ClusterHost, ClusterHost]> {
  const one = await cluster.startHost();
  return [one, await cluster.startHost()];
}

async function asking(host: ClusterHost, names: readonly string[]): Promise<readonly string[]> {
  const runs = await Promise.all(names.map((question) => startRun(host, 'asks', { question })));
  await expect.poll(() => cluster.model.waiting(), { timeout: 20_000 }).toBe(names.length);
  return runs;
}

const timesAsked = (names: readonly string[]) => names.map((name) => cluster.model.asked.get(name));

async function settledEffects(host: ClusterHost, runId: string): Promise<number> {
  const { body } = await call(host, 'GET', `/v1/runs/${runId}/events`);
  return body.events.filter(({ type }: { type: string }) => type === 'baton.effect.settled').length;
}

async function end(...hosts: readonly ClusterHost[]): Promise<void> {
  for (const host of hosts) host.signal('SIGKILL');
  await Promise.all(hosts.map((host) => host.exited));
}

it('goes on with the calls and waits of a host that is killed, and records each outcome once', async () => {
  const [one, other] = await twoHosts();
  cluster.model.take(4000);
  const names = Array.from({ length: 20 }, (_, at) => `killed ${at}`);
  const runs = await asking(one, names);
  const waits = await startRun(one, 'waits');
  one.signal('SIGKILL');
  // Each call is made once more, by the host that is left.
  await expect.poll(() => timesAsked(names), { timeout: 20_000 }).toEqual(names.map(() => 2));
  for (const runId of [...runs, waits]) {
    await expect.poll(() => statusOf(other, runId), { timeout: 20_000 }).toBe('completed');
  }
  for (const runId of runs) expect(await settledEffects(other, runId)).toBe(1);
  const { body } = await call(other, 'GET', '/v1/hosts');
  expect(body.hosts).toHaveLength(1);
  await end(other);
});

it('replaces a host that hangs, which ends when it wakes up', async () => {
  const [one, other] = await twoHosts();
  cluster.model.take(6000);
  const names = Array.from({ length: 5 }, (_, at) => `paused ${at}`);
  const runs = await asking(one, names);
  one.signal('SIGSTOP');
  await expect.poll(() => timesAsked(names), { timeout: 20_000 }).toEqual(names.map(() => 2));
  one.signal('SIGCONT');
  expect(await one.exited).toBe(75);
  expect(one.output()).toContain('other hosts have taken over');
  for (const runId of runs) {
    await expect.poll(() => statusOf(other, runId), { timeout: 20_000 }).toBe('completed');
    expect(await settledEffects(other, runId)).toBe(1);
  }
  await end(other);
});

it('cancels through one host a run that another computes without a pause', async () => {
  const [one, other] = await twoHosts();
  const runId = await startRun(one, 'loop');
  await expect
    .poll(async () => (await call(other, 'GET', `/v1/runs/${runId}`)).body.lastSequence, { timeout: 20_000 })
    .toBeGreaterThan(200);
  const { status } = await call(other, 'POST', `/v1/runs/${runId}/cancel`, {});
  expect(status).toBeLessThan(300);
  await expect.poll(() => statusOf(one, runId), { timeout: 20_000 }).toBe('cancelled');
  const { body } = await call(one, 'GET', `/v1/runs/${runId}/events?limit=1`);
  expect(body.events[0].type).toBe('run.started');
  await end(one, other);
});

it('streams on one host the events of a run that another computes', async () => {
  const [one, other] = await twoHosts();
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
  const [one, other] = await twoHosts();
  cluster.model.take(3000);
  const names = ['restarted'];
  const [runId = ''] = await asking(one, names);
  await cluster.database().stop('at once');
  const refused = await call(other, 'POST', '/v1/runs', { workflowId: 'steps' });
  expect(refused).toMatchObject({ status: 503, body: { error: 'store_unavailable' } });
  await cluster.restartDatabase();
  await expect
    .poll(
      () =>
        startRun(other, 'steps').then(
          () => true,
          () => false,
        ),
      { timeout: 20_000 },
    )
    .toBe(true);
  await expect.poll(() => statusOf(other, runId), { timeout: 20_000 }).toBe('completed');
  expect(await settledEffects(one, runId)).toBe(1);
  expect(timesAsked(names)).toEqual([1]);
  expect([one.isRunning(), other.isRunning()]).toEqual([true, true]);
  await end(one, other);
});

it('gives its work to the others when it is told to stop, after its calls are over', async () => {
  const [one, other] = await twoHosts();
  cluster.model.take(1500);
  const names = ['drained'];
  const [runId = ''] = await asking(one, names);
  const approval = await startRun(one, 'approves');
  one.signal('SIGTERM');
  expect(await one.exited).toBe(0);
  await expect.poll(() => statusOf(other, runId), { timeout: 20_000 }).toBe('completed');
  expect(timesAsked(names)).toEqual([1]);
  const { status } = await call(other, 'POST', `/v1/runs/${approval}/interrupts/approve`, {
    resumeValue: { action: 'accept' },
  });
  expect(status).toBe(200);
  await expect.poll(() => statusOf(other, approval), { timeout: 20_000 }).toBe('completed');
  await end(other);
});
