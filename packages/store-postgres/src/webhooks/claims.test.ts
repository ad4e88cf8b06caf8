import type { SettledDelivery } from '@baton/engine/ports';
import { afterAll, expect, it } from 'vitest';
import { addHost, addRun, openExample, removeHost } from '../../testing/example-rows.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import { selfOf } from '../self.ts';
import { deliveryWriter } from './delivery-writer.ts';
import { webhookReads } from './webhook-reads.ts';
import { webhookWriter } from './webhook-writer.ts';

afterAll(stopServers);

/** Deliveries are claimed, so that no event is sent by two hosts. */

const HOOK = {
  ...{ tenant: 'acme', webhookId: 'hook', principal: 'ada', url: 'https://example.com/', keys: 'jwe' },
  ...{ events: ['*'], workflows: [], tags: [], fingerprint: 'f', createdAt: 1 },
};
const NOW = 1000;

/** A webhook that waits for ten events of each of some runs, and two hosts that deliver. */
async function twoHosts(runs: number) {
  const database = await openExample();
  for (const hostNo of [1, 2]) await addHost(database, hostNo);
  for (let runNo = 1; runNo <= runs; runNo += 1) await addRun(database, runNo);
  await webhookWriter(database, selfOf(1)).putWebhook(HOOK, 10);
  const writer = deliveryWriter(database, selfOf(1));
  const queue = (from: number, last: number) =>
    writer.queueDeliveries(
      [
        {
          webhookId: 'hook',
          from,
          to: from + 1,
          runs: Array.from({ length: runs }, (_, at) => ({ runId: `run ${at + 1}`, first: 0, last })),
        },
      ],
      NOW,
    );
  await queue(0, 9);
  const due = async (hostNo: number, limit = 100, now = NOW) =>
    (await webhookReads(database, selfOf(hostNo)).dueDeliveries('hook', now, limit)).map(
      ({ runId }) => runId,
    );
  const settle = async (...outcomes: readonly Outcome[]) => {
    const rows = await webhookReads(database, selfOf(0)).deliveries({ ...HOOK, dead: false }, 100);
    await writer.settleDeliveries(
      outcomes.map(({ runNo, ...outcome }) => ({
        ...{
          webhookId: 'hook',
          at: NOW,
          number: rows.items.find((row) => row.runId === `run ${runNo}`)?.number ?? 0,
        },
        ...({ tries: 1, failingSince: NOW, nextAt: NOW, error: 'no', reached: true, ...outcome } as object),
      })) as unknown as Parameters<typeof writer.settleDeliveries>[0],
      10,
    );
  };
  return { database, queue, due, settle };
}

type Outcome = Pick<SettledDelivery, 'kind' | 'next'> & { readonly runNo: number };

it('gives each delivery to one host, also when both ask at once', async () => {
  const { due } = await twoHosts(20);
  const [one, two] = await Promise.all([due(1, 12), due(2, 12)]);
  const more = [...(await due(1)), ...(await due(2))];
  expect(new Set([...one, ...two]).size).toBe(one.length + two.length);
  expect(new Set(more).size).toBe(20);
  expect(more).toHaveLength(20);
});

it('gives a host its own deliveries again', async () => {
  const { due } = await twoHosts(2);
  expect(await due(1)).toEqual(['run 1', 'run 2']);
  expect(await due(1)).toEqual(['run 1', 'run 2']);
  expect(await due(2)).toEqual([]);
});

it('leaves a delivery to its host while the host goes on with it', async () => {
  const { due, queue, settle } = await twoHosts(1);
  await due(1);
  await settle({ runNo: 1, kind: 'delivered', next: 3 });
  expect(await due(2)).toEqual([]);
  await queue(1, 12);
  expect(await due(2)).toEqual([]);
  expect(await due(1)).toEqual(['run 1']);
});

it.each(['failed', 'dead'] as const)('gives a delivery to any host after it has %s', async (kind) => {
  const { due, settle } = await twoHosts(1);
  await due(1);
  await settle({ runNo: 1, kind, next: 3 });
  expect(await due(2)).toEqual(['run 1']);
  expect(await due(1)).toEqual([]);
});

it('gives the deliveries of a host that is gone to another one', async () => {
  const { database, due } = await twoHosts(1);
  await due(1);
  await removeHost(database, 1);
  expect(await due(2)).toEqual(['run 1']);
});

it('takes a delivery from a host that has not told of it for long', async () => {
  const { database, due } = await twoHosts(1);
  await due(1);
  const next = () => webhookReads(database, selfOf(2)).nextDelivery('hook');
  expect(await next()).toBeGreaterThan(Date.now() + 200_000);
  await database.run("UPDATE webhook_deliveries SET claimed_at = claimed_at - interval '5 minutes'");
  expect(await next()).toBe(NOW);
  expect(await due(2)).toEqual(['run 1']);
});

it('renews the claim of a host that asks again', async () => {
  const { database, due } = await twoHosts(1);
  await due(1);
  await database.run("UPDATE webhook_deliveries SET claimed_at = claimed_at - interval '4 minutes'");
  await due(1);
  await database.run("UPDATE webhook_deliveries SET claimed_at = claimed_at - interval '4 minutes'");
  expect(await due(2)).toEqual([]);
});

it('claims nothing for a reader that is no host', async () => {
  const { due } = await twoHosts(1);
  expect(await due(0)).toEqual(['run 1']);
  expect(await due(2)).toEqual(['run 1']);
  expect(await due(0)).toEqual([]);
});

it('keeps an error with signs that a text of Postgres cannot hold', async () => {
  const { database, due, settle } = await twoHosts(1);
  await settle({ runNo: 1, kind: 'failed', next: 0, ...{ error: 'a\0b' } });
  expect(await due(1)).toEqual(['run 1']);
  const [row] = (await webhookReads(database, selfOf(0)).deliveries({ ...HOOK, dead: false }, 1)).items;
  expect(row?.error).toBe('ab');
});
