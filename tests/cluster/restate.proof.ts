import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Cluster, type ClusterHost, call, startCluster, startRun, statusOf } from './kit.ts';

/** Hosts whose effects a real Restate hands out, and what happens when a host or Restate is lost. */

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster([], 'restate');
}, 120_000);
afterAll(() => cluster?.stop());

const restate = () => cluster.restate ?? expect.unreachable('the cluster has a Restate');

async function end(...hosts: readonly ClusterHost[]): Promise<void> {
  for (const host of hosts) host.signal('SIGKILL');
  await Promise.all(hosts.map((host) => host.exited));
}

/** Restate knows the objects of the hosts. */
async function registered(services: number): Promise<void> {
  await expect
    .poll(async () => {
      const response = await fetch(`${restate().server().adminUrl}/services`);
      return ((await response.json()) as { services: unknown[] }).services.length;
    })
    .toBe(services);
}

async function completed(host: ClusterHost, runs: readonly string[]): Promise<void> {
  for (const runId of runs) await expect.poll(() => statusOf(host, runId)).toBe('completed');
}

const timesAsked = (names: readonly string[]) => names.map((name) => cluster.model.asked.get(name));

async function settledEffects(host: ClusterHost, runId: string): Promise<number> {
  const { body } = await call(host, 'GET', `/v1/runs/${runId}/events`);
  return body.events.filter(({ type }: { type: string }) => type === 'baton.effect.settled').length;
}

/** What Restate has been told, as its own tables say. */
async function toldRestate(): Promise<string> {
  const response = await fetch(`${restate().server().adminUrl}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      query: 'SELECT i.*, j.raw FROM sys_invocation i LEFT JOIN sys_journal j ON i.id = j.id',
    }),
  });
  return response.text();
}

it('performs calls through Restate, which learns keys and no questions', { timeout: 90_000 }, async () => {
  // With this lease the sweep would come only after the test.
  const one = await cluster.startHost({ BATON_LEASE: '120' });
  const other = await cluster.startHost({ BATON_LEASE: '120' });
  await registered(5);
  cluster.model.take(2000);
  const names = ['a secret question 1', 'a secret question 2'];
  const runs = await Promise.all(names.map((question) => startRun(one, 'asks', { question })));
  await expect.poll(() => timesAsked(names)).toEqual([1, 1]);
  const told = await toldRestate();
  for (const runId of runs) expect(told).toContain(runId);
  expect(told).not.toContain('secret question');
  expect(told).not.toContain(Buffer.from('secret question').toString('hex'));
  await completed(other, runs);
  expect(timesAsked(names)).toEqual([1, 1]);
  await end(one, other);
});

it('rings deadlines through Restate, on a host of the pool for them', { timeout: 90_000 }, async () => {
  // With this lease the sweep would come only after the test.
  const long = { BATON_LEASE: '120' };
  const computes = await cluster.startHost({ ...long, BATON_PERFORM: 'model' });
  const rings = await cluster.startHost({ ...long, BATON_PERFORM: 'alarm' });
  await expect
    .poll(() => fetch(`${restate().server().adminUrl}/services/baton-alarm`).then(({ ok }) => ok), {
      timeout: 20_000,
    })
    .toBe(true);
  const runId = await startRun(computes, 'waits-longer', {});
  const near = await startRun(computes, 'waits', {});
  await completed(rings, [near, runId]);
  expect(await toldRestate()).not.toContain(near);
  await end(computes, rings);
});

it('goes on with the calls of a host that is killed, and records each outcome once', {
  timeout: 90_000,
}, async () => {
  const one = await cluster.startHost();
  const other = await cluster.startHost();
  await registered(5);
  cluster.model.take(4000);
  const names = Array.from({ length: 20 }, (_, at) => `killed ${at}`);
  const runs = await Promise.all(names.map((question) => startRun(one, 'asks', { question })));
  await expect.poll(() => cluster.model.waiting()).toBe(names.length);
  one.signal('SIGKILL');
  await completed(other, runs);
  for (const runId of runs) expect(await settledEffects(other, runId)).toBe(1);
  for (const times of timesAsked(names)) expect(times).toBeLessThanOrEqual(2);
  await end(other);
});

it('replaces a host that hangs, which ends when it wakes up', { timeout: 90_000 }, async () => {
  const one = await cluster.startHost();
  const other = await cluster.startHost();
  await registered(5);
  cluster.model.take(6000);
  const names = Array.from({ length: 12 }, (_, at) => `paused ${at}`);
  const runs = await Promise.all(names.map((question) => startRun(one, 'asks', { question })));
  await expect.poll(() => cluster.model.waiting()).toBe(names.length);
  one.signal('SIGSTOP');
  await expect.poll(async () => (await call(other, 'GET', '/v1/hosts')).body.hosts.length).toBe(1);
  one.signal('SIGCONT');
  expect(await one.exited).toBe(75);
  await completed(other, runs);
  for (const runId of runs) expect(await settledEffects(other, runId)).toBe(1);
  await end(other);
});

it('loses nothing when Restate is killed and its disk is deleted, and uses it again when it is back', {
  timeout: 120_000,
}, async () => {
  const one = await cluster.startHost();
  await registered(5);
  cluster.model.take(3000);
  const before = await startRun(one, 'asks', { question: 'under way' });
  await expect.poll(() => timesAsked(['under way'])).toEqual([1]);
  await restate().kill('with its disk');
  const waits = await startRun(one, 'waits-longer', {});
  const names = Array.from({ length: 10 }, (_, at) => `without Restate ${at}`);
  const runs = await Promise.all(names.map((question) => startRun(one, 'asks', { question })));
  await completed(one, [before, waits, ...runs]);
  expect(timesAsked(['under way', ...names])).toEqual([1, ...names.map(() => 1)]);
  await restate().start();
  // The next offer finds out that Restate has forgotten the hosts.
  const after = await startRun(one, 'asks', { question: 'registers' });
  await registered(5);
  await completed(one, [after]);
  await end(one);
});

it('performs a kind only on the hosts of its pool', { timeout: 120_000 }, async () => {
  const others = await cluster.startHost({ BATON_PERFORM: 'tool,agent,peer' });
  cluster.model.take(100);
  const names = ['for the pool 1', 'for the pool 2'];
  const runs = await Promise.all(names.map((question) => startRun(others, 'asks', { question })));
  const models = await cluster.startHost({ BATON_PERFORM: 'model' });
  await completed(others, runs);
  expect(timesAsked(names)).toEqual([1, 1]);
  expect([await modelCalls(others), await modelCalls(models)]).toEqual([0, 2]);
  await end(others, models);
});

/** How many model calls the host has performed. */
async function modelCalls({ url }: ClusterHost): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const found = /^baton_effects_performed_total\{kind="model\.call"\} (\d+)$/m.exec(text);
  return Number(found?.[1] ?? 0);
}
