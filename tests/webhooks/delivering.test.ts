import { describe, expect, it } from 'vitest';
import {
  boss,
  hand,
  node,
  TERMINATE,
  worker,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { CALLER } from '../driver/test-engine.ts';
import { type DeliveryBench, MOST_WAITING, type Sent, startDeliveryBench } from './delivery-bench.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const QUICK = workflow('quick', [node('only', 'core.noop')]);
const GATE = workflow('gate', [node('gate', 'core.approvalGate', { title: 'Go?' })]);

async function bench(): Promise<DeliveryBench> {
  const started = await startDeliveryBench();
  await started.register(QUICK, GATE, boss([hand('child'), TERMINATE]), worker('child'));
  return started;
}

const run = async (host: DeliveryBench, name: string, workflowId = 'quick') => {
  const runId = host.name(await host.create(workflowId), name);
  await host.quiet();
  return runId;
};

/** The events of a run as a webhook for all events is told them. */
const all = async (host: DeliveryBench, runId: string, name: string) =>
  (await host.types(runId)).map((_, sequence) => `${name}:${sequence}`);

describe('events are delivered', () => {
  it('in the order of their run, once each, as the API shows them', async () => {
    const host = await bench();
    const before = await run(host, 'before');
    await host.webhook('hook');
    const runId = await run(host, 'a');
    expect(host.told()).toEqual(await all(host, runId, 'a'));
    const [stored] = await host.reads.events(CALLER.tenant, runId, 0, 1);
    const [first] = host.sent as [Sent];
    expect(first.body).toEqual({
      type: 'run.started',
      timestamp: JSON.parse(stored ?? '').timestamp,
      runId,
      workflowId: 'quick',
      workspaceId: 'acme',
      event: JSON.parse(stored ?? ''),
    });
    expect(before).not.toBe(runId);
    expect(await host.reads.backlog('hook')).toBe(0);
  });

  it('of the wanted types, workflows and tags only', async () => {
    const host = await bench();
    await host.webhook('ends', { events: ['run.completed'] });
    await host.webhook('gates', { events: ['run.started'], workflows: ['gate'] });
    await host.webhook('tagged', { events: ['run.completed'], tags: ['blue', 'green'] });
    await run(host, 'a', 'gate');
    await run(host, 'b');
    for (const tags of [['green', 'x'], ['red']]) {
      await host.execute({ kind: 'create-run', caller: CALLER, body: { workflowId: 'boss', tags } } as never);
    }
    await host.quiet();
    const byHook = (id: string) =>
      host.sent
        .filter(({ url }) => url.includes(`//${id}.`))
        .map(({ body }) => `${body.workflowId} ${body.type}`);
    // There is no order between runs.
    const trees = ['boss', 'boss', 'child', 'child'].map((id) => `${id} run.completed`);
    expect(byHook('ends').sort()).toEqual([...trees, 'quick run.completed']);
    expect(byHook('gates')).toEqual(['gate run.started']);
    // The children of a tagged root count as tagged.
    expect(byHook('tagged').sort()).toEqual(['boss run.completed', 'child run.completed']);
  });

  it('never to a webhook of another tenant', async () => {
    const host = await bench();
    await host.webhook('other', { tenant: 'other' });
    await host.webhook('own');
    await run(host, 'a');
    expect(new Set(host.sent.map(({ url }) => url))).toEqual(new Set(['https://own.example.com/']));
  });

  it('never from a replay, and from a branch only what the branch itself does', async () => {
    const host = await bench();
    const source = await run(host, 'source', 'boss');
    await host.webhook('hook');
    const fork = async (mode: string, name: string) => {
      const body = { fromSeq: 3, mode };
      const reply = await host.execute({ kind: 'fork-run', caller: CALLER, runId: source, body } as never);
      if (!reply.ok || reply.value.kind !== 'fork') throw new Error(JSON.stringify(reply));
      await host.quiet();
      return { runId: host.name(reply.value.runId, name), fromSeq: reply.value.fromSeq };
    };
    const replay = await fork('replay', 'replay');
    expect(await host.status(replay.runId)).toBe('completed');
    expect(host.sent).toEqual([]);
    const branch = await fork('branch', 'branch');
    const own = host.told().filter((told) => told.startsWith('branch:'));
    expect(own).toEqual((await all(host, branch.runId, 'branch')).slice(branch.fromSeq));
    expect(branch.fromSeq).toBeGreaterThan(0);
    expect(host.told().length).toBeGreaterThan(own.length);
  });
});

it('stores the events and the outcomes of some moments together, so that runs have the disk for themselves', async () => {
  const host = await startDeliveryBench(20);
  await host.register(QUICK);
  await host.webhook('hook', { events: ['run.completed'] });
  await host.move(20);
  await host.move(20);
  host.writes.splice(0);
  await run(host, 'first');
  expect(host.writes).toEqual(['queue']);
  for (const name of ['a', 'b', 'c', 'd', 'e']) await run(host, name);
  expect(host.writes).toEqual(['queue']);
  await host.move(20);
  await host.move(20);
  expect(host.writes.filter((kind) => kind === 'queue')).toHaveLength(2);
  expect(host.sent).toHaveLength(6);
  expect(host.writes.filter((kind) => kind === 'settle')).toHaveLength(2);
  expect(await host.reads.backlog('hook')).toBe(0);
});

describe('a webhook whose creator has no valid key', () => {
  it('is sent nothing, and then everything that has happened meanwhile', async () => {
    const host = await bench();
    await host.webhook('hook');
    await host.webhook('bos', { principal: 'bo', url: 'https://bo.example.com/', events: ['run.started'] });
    const sentTo = (name: string) => host.sent.filter(({ url }) => url.includes(`//${name}.`)).length;
    host.revoked.add('ana');
    const first = await run(host, 'a');
    expect([sentTo('hook'), sentTo('bo')]).toEqual([0, 1]);
    host.revoked.delete('ana');
    const second = await run(host, 'b');
    expect(sentTo('bo')).toBe(2);
    const own = host.sent.filter(({ url }) => url.includes('//hook.')).length;
    expect(own).toBe((await host.types(first)).length + (await host.types(second)).length);
  });

  it('stops within a delivery, after the event under way', async () => {
    const host = await bench();
    await host.webhook('hook');
    host.receiver = () => {
      host.revoked.add('ana');
      return 204;
    };
    await run(host, 'a');
    expect(host.told()).toEqual(['a:0']);
    host.receiver = () => 204;
    host.revoked.clear();
    // Another principal takes the webhook over.
    await host.write({
      do: 'set-state',
      tenant: CALLER.tenant,
      webhookId: 'hook',
      state: 'active',
      principal: 'bo',
    });
    await host.quiet();
    expect(host.told()).toEqual(['a:0', 'a:1', 'a:2', 'a:3']);
  });
});

describe('a delivery that fails', () => {
  it('is tried again later with the same id, and holds up the later events of its run only', async () => {
    const host = await bench();
    await host.webhook('hook');
    let isBroken = true;
    const first = () => host.sent[0]?.body.runId;
    host.receiver = ({ body }) =>
      isBroken && body.runId === first() && body.event.sequence === 2 ? 500 : 200;
    const events = await all(host, await run(host, 'a'), 'a');
    expect(host.told()).toEqual(events.slice(0, 3));
    const other = await run(host, 'b');
    expect(host.told().slice(3)).toEqual(await all(host, other, 'b'));
    const broken = first();
    host.receiver = ({ body }) =>
      isBroken && body.runId === broken && body.event.sequence === 2 ? 500 : 200;
    host.sent.length = 0;
    await host.move(4_999);
    expect(host.told()).toEqual([]);
    await host.move(1);
    await host.move(9_999);
    expect(host.told()).toEqual(['a:2']);
    await host.move(1);
    expect(host.told()).toEqual(['a:2', 'a:2']);
    isBroken = false;
    await host.move(20_000);
    expect(host.told()).toEqual([
      'a:2',
      ...events.slice(2).flatMap((told) => (told === 'a:2' ? [told, told] : [told])),
    ]);
    const ids = host.sent
      .filter(({ body }) => body.event.sequence === 2)
      .map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    expect(new Set(host.sent.map(({ headers }) => headers['webhook-id'])).size).toBe(events.length - 2);
  });

  it('waits as long as the receiver asks for', async () => {
    const host = await bench();
    await host.webhook('hook', { events: ['run.completed'] });
    host.receiver = () => new Response(null, { status: 503, headers: { 'retry-after': '600' } });
    await run(host, 'a');
    await host.move(599_000);
    expect(host.sent.length).toBe(1);
    await host.move(1_000);
    expect(host.sent.length).toBe(2);
  });

  it('is a dead letter after a day, the run goes on, and the dead letter can be delivered again', async () => {
    const host = await bench();
    await host.webhook('hook');
    let isBroken = true;
    let broken = '';
    host.receiver = ({ body }) => {
      broken ||= body.runId;
      return isBroken && body.runId === broken && body.event.sequence === 1 ? 500 : 200;
    };
    const events = await all(host, await run(host, 'a'), 'a');
    const toldOfA = () => host.told().filter((told) => told.startsWith('a:'));
    for (let hours = 0; hours < 23; hours += 1) {
      await host.move(HOUR);
      // Other runs are told, so the webhook goes on.
      await run(host, 'other');
    }
    expect(await host.deadLetters('hook')).toEqual([]);
    expect(toldOfA().length).toBeGreaterThan(20);
    host.sent.length = 0;
    await host.move(2 * HOUR);
    expect(toldOfA()).toEqual(events.slice(1));
    expect(await host.deadLetters('hook')).toEqual(['a:1']);
    expect(await host.state('hook')).toMatchObject({ state: 'active' });
    host.sent.length = 0;
    await host.move(2 * DAY);
    expect(host.told()).toEqual([]);
    isBroken = false;
    await host.write({ do: 'redeliver', tenant: 'other', webhookId: 'hook' });
    await host.quiet();
    expect(host.told()).toEqual([]);
    await host.write({ do: 'redeliver', tenant: 'acme', webhookId: 'hook' });
    await host.quiet();
    expect(host.told()).toEqual(['a:1']);
    expect(await host.deadLetters('hook')).toEqual([]);
  });

  it('for a day without any success stops the webhook; nothing is lost when it is resumed', async () => {
    const host = await bench();
    await host.webhook('hook', { events: ['run.completed'] });
    host.receiver = () => 500;
    await run(host, 'a');
    for (let passed = 0; passed < DAY + 2 * HOUR; passed += HOUR / 2) await host.move(HOUR / 2);
    expect(await host.state('hook')).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('the receiver answered with status 500'),
    });
    expect(await host.deadLetters('hook')).toEqual([expect.stringMatching(/^a:/)]);
    const tries = host.sent.length;
    await run(host, 'b');
    await host.move(DAY);
    expect(host.sent.length).toBe(tries);
    host.receiver = () => 200;
    await host.write({ do: 'set-state', tenant: 'acme', webhookId: 'hook', state: 'active' });
    await host.quiet();
    expect(host.told().slice(tries)).toEqual([expect.stringMatching(/^b:/)]);
  });

  it('with 410 Gone stops the webhook at once', async () => {
    const host = await bench();
    await host.webhook('hook');
    host.receiver = () => 410;
    await run(host, 'a');
    expect(host.sent.length).toBe(1);
    expect(await host.state('hook')).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('410'),
    });
  });

  it('does not hold up other webhooks, and a receiver that always fails is asked less often', async () => {
    const host = await bench();
    await host.webhook('bad', { events: ['run.completed'] });
    await host.webhook('good', { events: ['run.completed'] });
    host.receiver = ({ url }) => (url.includes('bad') ? 500 : 200);
    for (let number = 0; number < 30; number += 1) await run(host, `r${number}`);
    const to = (id: string) => host.sent.filter(({ url }) => url.includes(`//${id}.`)).length;
    expect([to('good'), to('bad')]).toEqual([30, 4]);
  });
});

describe('a slow receiver', () => {
  it('holds up neither other runs nor other tenants, and is given up after ten seconds', async () => {
    const host = await bench();
    await host.webhook('hook', { events: ['run.completed'] });
    let slow = true;
    host.receiver = () => (slow ? 'hang' : 200);
    for (let number = 0; number < 12; number += 1) await run(host, `r${number}`);
    // One webhook has a bounded share of the deliveries.
    expect(host.sent.length).toBe(8);
    await host.webhook('quick', { events: ['run.completed'] });
    slow = false;
    host.receiver = ({ url }) => (url.includes('hook') ? 'hang' : 200);
    await run(host, 'later');
    expect(host.told().at(-1)).toMatch(/^later:/);
    host.receiver = () => 200;
    await host.move(10_000);
    await host.move(60_000);
    const told = new Set(host.sent.filter(({ url }) => url.includes('hook')).map(({ body }) => body.runId));
    expect(told.size).toBe(13);
    expect(await host.reads.backlog('hook')).toBe(0);
  });
});

describe('a crash', () => {
  it('between a delivery and its record repeats the delivery with the same id, and loses nothing', async () => {
    let host = await bench();
    await host.webhook('hook');
    // The receiver has the event, and the host dies before it has the answer.
    host.receiver = ({ body }) => (body.event.sequence === 2 ? 'hang' : 200);
    const runId = await run(host, 'a');
    const events = await all(host, runId, 'a');
    expect(host.told()).toEqual(events.slice(0, 3));
    const id = host.sent.at(-1)?.headers['webhook-id'];
    host = await host.crashed({ receiver: () => 200 });
    await host.quiet();
    expect(host.told()).toEqual(events.slice(2));
    expect(host.sent[0]?.headers['webhook-id']).toBe(id);
  });

  it('before an event was queued loses nothing, and neither does a pause', async () => {
    let host = await bench();
    await host.webhook('hook', { events: ['run.completed'] });
    await host.write({ do: 'set-state', tenant: 'acme', webhookId: 'hook', state: 'paused' });
    await run(host, 'a');
    host = await host.crashed();
    await run(host, 'b');
    expect(host.told()).toEqual([]);
    await host.write({ do: 'set-state', tenant: 'acme', webhookId: 'hook', state: 'active' });
    await host.quiet();
    expect(host.told().map((told) => told.split(':')[0])).toEqual(['a', 'b']);
  });
});

it('never sends two events of one run at the same time, also when the webhook is paused and resumed', async () => {
  const host = await bench();
  await host.webhook('hook');
  host.receiver = () => 'hang';
  await run(host, 'a');
  for (const state of ['paused', 'active']) {
    await host.write({ do: 'set-state', tenant: 'acme', webhookId: 'hook', state });
    await host.quiet();
  }
  expect(host.told()).toEqual(['a:0']);
});

it('looks at no further events while too many runs wait, and goes on when there is room', async () => {
  const host = await bench();
  await host.webhook('hook', { events: ['run.completed'] });
  host.receiver = () => 500;
  for (let number = 0; number < 20; number += 1) await run(host, `r${number}`);
  expect(await host.reads.backlog('hook')).toBe(MOST_WAITING);
  host.receiver = () => 200;
  for (let minutes = 0; minutes < 4; minutes += 1) await host.move(60_000);
  expect(new Set(host.sent.map(({ body }) => body.runId)).size).toBe(20);
  expect(await host.reads.backlog('hook')).toBe(0);
});
