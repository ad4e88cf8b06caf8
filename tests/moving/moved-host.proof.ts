import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readModels } from '@baton/agents/models-file';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { inOrder, node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { newDatabase, stopServers } from '../../packages/store-postgres/testing/postgres-server.ts';
import { type SlowModel, startSlowModel } from '../cluster/slow-model.ts';
import { ALL_SCOPES, startTestHost, type TestHost } from '../http/host.ts';
import { HELPER, RICH } from '../rich-tree.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { ask, folderFor, move } from './kit.ts';

/** A host that works on SQLite, is stopped, moved, and goes on with Postgres. */

afterAll(stopServers);

const HOUR_MS = 3_600_000;
const NOOPS = [node('a', 'core.noop'), node('b', 'core.noop')];
const ASK = {
  ...node('ask', 'core.ai.callPrompt', { provider: 'slow', model: 'slow' }),
  inputs: { prompt: { type: 'variable', variableName: 'question' } },
};
const WORKFLOWS = [
  RICH,
  HELPER,
  workflow('quick', NOOPS, { edges: inOrder(NOOPS) }),
  workflow('waits', [node('wait', 'core.delay', { ms: 3000 })]),
  workflow('sleeps', [node('wait', 'core.delay', { ms: HOUR_MS })]),
  workflow('asks', [ASK], { variables: [{ name: 'question', type: 'string' }] }),
];

function modelsAt(baseURL: string) {
  const text = JSON.stringify({
    providers: { slow: { kind: 'openai-compatible', baseURL } },
    classes: { general: 'slow/slow' },
  });
  const reading = readModels({ file: { name: 'models.json', text }, variable: () => undefined });
  if (!('config' in reading)) throw new Error(JSON.stringify(reading));
  return reading.config;
}

const settingsWith = (model: SlowModel) => ({
  builtinWorkflows: WORKFLOWS,
  webhookPrivate: true,
  models: modelsAt(model.baseURL),
});

/** All files of a data folder, apart from those that SQLite makes beside the database. */
function digestsIn(folder: string): Record<string, string> {
  const files = readdirSync(folder).filter((name) => !/-wal$|-shm$/.test(name));
  const digest = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
  return Object.fromEntries(files.map((name) => [name, digest(name)]));
}

/** What a host answers about what it stores, byte for byte. */
async function answersOf(host: TestHost, runIds: readonly string[]): Promise<Record<string, string>> {
  const paths = [
    ...runIds.flatMap((id) => [`/v1/runs/${id}`, `/v1/runs/${id}/events/poll`, `/v1/runs/${id}/state?at=3`]),
    '/v1/runs?limit=100&workflowId=rich',
    '/v1/interrupts',
    '/v1/memory/desk',
    '/v1/memory/desk?text=noon',
    '/v1/workflows',
    '/v1/webhooks',
    '/v1/secrets',
    '/v1/audit/key',
  ];
  const answers: Record<string, string> = {};
  for (const path of paths) {
    const { status, text } = await host.get(path);
    answers[path] = `${status} ${text}`;
  }
  return answers;
}

async function untilStatus(host: TestHost, runId: string, status: string): Promise<void> {
  await expect.poll(async () => (await host.get(`/v1/runs/${runId}`)).body.status).toBe(status);
}

async function begun(host: TestHost, workflowId: string, inputs: object = {}): Promise<string> {
  const { body } = await host.post('/v1/runs', { workflowId, inputs });
  return body.runId;
}

const gate = (runId: string) => `/v1/runs/${runId}/approvals/gate`;

/** Runs of all kinds, some of them not finished. */
async function manyRuns(host: TestHost) {
  const rich: string = (await host.run('rich', { scopeId: 'desk', inputs: { amount: 3 } })).body.runId;
  const waiting: string = (await host.run('rich', { scopeId: 'desk', inputs: { amount: 4 } })).body.runId;
  const erased: string = (await host.run('quick')).body.runId;
  await host.post(`/v1/runs/${erased}:erase`, { reason: 'asked to' });
  await host.post(gate(rich), { action: 'accept' });
  await untilStatus(host, rich, 'completed');
  const fork: string = (await host.post(`/v1/runs/${rich}:fork`, { mode: 'branch', fromSeq: 4 })).body.runId;
  await untilStatus(host, fork, 'waiting-approval');
  const sleeps = await begun(host, 'sleeps');
  const asks = await begun(host, 'asks', { question: 'how?' });
  return { rich, waiting, erased, fork, sleeps, asks };
}

const byName = (one: string, other: string) => (one < other ? -1 : 1);

it('goes on where it was, and loses nothing that others have to be told', { timeout: 180_000 }, async () => {
  const folder = folderFor('moved');
  const model = await startSlowModel();
  onTestFinished(() => model.close());
  model.take(HOUR_MS);
  const [working, failing, paused] = [await startReceiver(), await startReceiver(), await startReceiver()];
  failing.answer = { status: 500 };

  const sqlite = await startTestHost({ ...settingsWith(model), dataFolder: folder }, [
    { token: 'of-ada', tenant: 'default', scopes: ALL_SCOPES },
  ]);
  const ends = { events: ['run.completed'] };
  await sqlite.post('/v1/webhooks', { url: working.url, ...ends });
  await sqlite.post('/v1/webhooks', { url: failing.url, ...ends });
  const { webhookId } = (await sqlite.post('/v1/webhooks', { url: paused.url, ...ends })).body;
  const first: string = (await sqlite.run('quick')).body.runId;
  await paused.count(1);
  await sqlite.post(`/v1/webhooks/${webhookId}:pause`, {});
  await sqlite.send('PUT', '/v1/secrets/token', { value: 'of a tenant' });
  const { rich, waiting, erased, fork, sleeps, asks } = await manyRuns(sqlite);
  await expect.poll(() => model.waiting()).toBe(1);
  await failing.count(1);
  await working.count(6);
  const waits = await begun(sqlite, 'waits');
  const ids = [first, rich, waiting, erased, fork, sleeps];
  const told = await answersOf(sqlite, ids);
  await sqlite.stop();

  const digests = digestsIn(folder);
  const url = await newDatabase();
  const { exit, printed, noted } = await move(folder, url);
  expect({ exit, printed }).toEqual({ exit: 0, printed: [] });
  expect(noted).toMatch(/Moved \d+ runs, \d+ events, 6 workflows, .*1 key, 1 secret, 3 webhooks/);
  expect(noted).toMatch(/audit chain is verified up to checkpoint [1-9]/);
  expect(digestsIn(folder)).toEqual(digests);

  model.take(0);
  const postgres = await startTestHost({
    ...settingsWith(model),
    dataFolder: folderFor('other'),
    databaseUrl: url,
  });
  try {
    expect(await answersOf(postgres, ids)).toEqual(told);
    const triedBefore = failing.received.length;
    failing.answer = { status: 204 };

    await untilStatus(postgres, asks, 'completed');
    await untilStatus(postgres, waits, 'completed');
    expect(model.asked.get('how?')).toBe(2);
    await postgres.post(gate(waiting), { action: 'accept' });
    await untilStatus(postgres, waiting, 'completed');
    const last: string = (await postgres.run('quick')).body.runId;
    const { runs } = (await postgres.get('/v1/runs?limit=1')).body;
    expect(runs[0].runId).toBe(last);
    // A deadline that is far away has a host that will ring it.
    const kept = 'SELECT 1 FROM runs JOIN hosts ON host_no = keeper WHERE run_id = $1';
    await expect.poll(() => ask(url, kept, [sleeps])).toHaveLength(1);

    await postgres.post(`/v1/webhooks/${webhookId}:resume`, {});
    const ended = [rich, `${rich}.1`, waiting, `${waiting}.1`, erased, `${fork}.1`, asks, waits, last];
    const everyEnd = [first, ...ended].toSorted(byName);
    for (const [receiver, failed] of [
      [working, 0],
      [paused, 0],
      [failing, triedBefore],
    ] as const) {
      await receiver.count(failed + everyEnd.length);
      const heard = receiver.received.slice(failed).map(({ body }) => body.runId as string);
      expect(heard.toSorted(byName)).toEqual(everyEnd);
    }

    const audit = async () => (await postgres.get('/v1/audit/verify')).body;
    await expect.poll(audit).toMatchObject({ findings: [], checked: { unsigned: 0 } });
  } finally {
    await postgres.stop();
  }
});
