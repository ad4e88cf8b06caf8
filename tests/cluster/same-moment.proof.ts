import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSigningKey } from '@baton/engine';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask } from '../moving/kit.ts';
import { auditOfDatabase } from './evidence.ts';
import { type Cluster, type ClusterHost, call, startCluster, startRun, statusOf } from './kit.ts';

/** What two hosts do at the same moment, where each of them alone would be right. */

let cluster: Cluster;
let one: ClusterHost;
let other: ClusterHost;
beforeAll(async () => {
  cluster = await startCluster();
  one = await cluster.startHost();
  other = await cluster.startHost();
}, 120_000);
afterAll(() => cluster?.stop());

it('opens every secret after both hosts have rotated the keys', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `secret-${at}`);
  for (const name of names) {
    const value = `the value of ${name}`;
    expect((await call(one, 'PUT', `/v1/secrets/${name}`, { value })).status).toBeLessThan(300);
  }
  for (let times = 0; times < 4; times += 1) {
    const rotations = await Promise.all(
      [one, other].map((host) => call(host, 'POST', '/v1/host/secrets:rotate', {})),
    );
    expect(rotations.map(({ status }) => status)).toEqual([200, 200]);
    for (const { body } of rotations) expect(body).toMatchObject({ secrets: names.length, unreadable: 0 });
  }
  const last = await call(other, 'POST', '/v1/host/secrets:rotate', {});
  expect(last.body).toMatchObject({ secrets: names.length, unreadable: 0 });
});

it('either erases a run or makes a fork of it', async () => {
  for (let times = 0; times < 12; times += 1) {
    const runId = await startRun(one, 'steps');
    await expect.poll(() => statusOf(one, runId)).toBe('completed');
    const [erased, forked] = await Promise.all([
      call(one, 'POST', `/v1/runs/${runId}:erase`, { reason: 'asked to' }),
      call(other, 'POST', `/v1/runs/${runId}:fork`, { mode: 'branch', fromSeq: 1 }),
    ]);
    expect([erased.status, forked.status], JSON.stringify([erased.body, forked.body])).not.toEqual([
      200, 201,
    ]);
    if (erased.status !== 200) expect(erased.body).toMatchObject({ error: 'run_has_forks' });
  }
  const { findings } = await auditOfDatabase(cluster.database().url());
  expect(findings).toEqual([]);
}, 60_000);

it('goes on when all its sessions are ended while runs are under way', async () => {
  cluster.model.take(300);
  for (let times = 0; times < 3; times += 1) {
    const runs = Promise.allSettled(
      Array.from({ length: 60 }, (_, at) =>
        startRun(at % 2 === 0 ? one : other, at % 3 === 0 ? 'asks' : 'steps'),
      ),
    );
    await ask(
      cluster.database().url(),
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    );
    await runs;
    await expect.poll(async () => (await call(one, 'GET', '/readyz')).status).toBe(200);
  }
  for (const host of [one, other]) {
    expect(host.isRunning(), host.output()).toBe(true);
    expect(host.output()).not.toContain('the engine thread stopped');
    const runId = await startRun(host, 'steps');
    await expect.poll(() => statusOf(host, runId)).toBe('completed');
  }
}, 90_000);

it('does not let two hosts in that sign with different keys, if they start together', async () => {
  const files = ['a', 'b'].map((name) => {
    const file = join(cluster.folder, `${name}.key`);
    writeFileSync(file, newSigningKey());
    return file;
  });
  for (const host of [one, other]) host.signal('SIGKILL');
  await Promise.all([one.exited, other.exited]);
  const starts = await Promise.allSettled(files.map((file) => cluster.startHost({ BATON_AUDIT_KEY: file })));
  const refused = starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toContain('signs the audit trail of this database with another key');
}, 60_000);
