import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Cluster, call, startCluster, startRun, statusOf } from './kit.ts';
import { asking, end, settledEffects, timesAsked, twoHosts } from './two-hosts.ts';

/** No call is answered before its host is killed. */
const NEVER = 1_000_000_000;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
}, 120_000);
afterAll(() => cluster?.stop());

it('goes on with the calls and waits of a host that is killed, and records each outcome once', async () => {
  // The end of its session tells of a killed host. The lease is for hosts that hang, which a busy machine looks like.
  const [one, other] = await twoHosts(cluster, { BATON_LEASE: '15' });
  cluster.model.take(NEVER);
  const names = Array.from({ length: 20 }, (_, at) => `killed ${at}`);
  const runs = await asking(cluster, one, names);
  const waits = await startRun(one, 'waits');
  cluster.model.take(0);
  one.signal('SIGKILL');
  // Each call is made once more, by the host that is left.
  await expect.poll(() => timesAsked(cluster, names)).toEqual(names.map(() => 2));
  for (const runId of [...runs, waits]) {
    await expect.poll(() => statusOf(other, runId)).toBe('completed');
  }
  for (const runId of runs) expect(await settledEffects(other, runId)).toBe(1);
  const { body } = await call(other, 'GET', '/v1/hosts');
  expect(body.hosts).toHaveLength(1);
  await end(other);
});
