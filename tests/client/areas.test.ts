import { type Baton, connect } from '@baton/client';
import { afterAll, describe, expect, it } from 'vitest';
import { OPERATOR_KEY, startTestHost } from '../http/host.ts';
import { WORKFLOWS } from '../http/workflows.ts';
import { startReceiver } from '../webhooks/receiver.ts';

/** The parts of the client beside runs, against a real host. */

const KEEPER = {
  id: 'keeper',
  nodes: [{ id: 'keep', typeId: 'vendor.baton.memory.write', config: { key: 'mood', content: 'calm' } }],
};
const CLERK = {
  manifest: {
    agentId: 'local.desk.clerk',
    persona: 'Clerk',
    modelClass: 'general',
    systemPrompt: 'You are a clerk.',
    baton: { script: [{ text: 'Yes.' }] },
  },
};
const host = await startTestHost({ webhookPrivate: true, builtinWorkflows: [...WORKFLOWS, KEEPER] });
afterAll(() => host.stop());
const baton: Baton = connect({ url: host.url, key: OPERATOR_KEY, patience: { tries: 1 } });

async function gathered<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

it('agents are registered, read, run and talked to', async () => {
  const agentId = CLERK.manifest.agentId;
  expect(await baton.agents.register(CLERK as never)).toEqual({ agentId, version: 1 });
  expect((await baton.agents.list()).map((agent) => agent.agentId)).toContain(agentId);
  expect(await baton.agents.read(agentId)).toMatchObject({ persona: 'Clerk' });
  const run = await baton.agents.start(agentId, { task: 'Say yes.' });
  expect(await run.result()).toMatchObject({ status: 'completed' });
  const chat = baton.agents.chat(agentId);
  expect(chat.conversationId).toBeUndefined();
  // Both are sent at once, and the second still belongs to the conversation of the first.
  const [first, second] = await Promise.all([chat.send('One?'), chat.send('Two?', { waitSeconds: 20 })]);
  expect(first).toMatchObject({ reply: 'Yes.', conversationId: chat.conversationId });
  expect(second.conversationId).toBe(first.conversationId);
  expect((await baton.run(second.runId).snapshot()).inputs.history).toHaveLength(2);
});

it('shared memory is listed and read', async () => {
  await (await baton.runs.start('keeper', {}, { scopeId: 'team a' })).result();
  expect(await gathered(baton.memory.scopes())).toEqual([
    { scopeId: 'team a', version: 1, oldestVersion: 0 },
  ]);
  const { entries } = await baton.memory.read('team a', { text: 'calm' });
  expect(entries).toMatchObject([{ id: 'mood', content: 'calm' }]);
});

it('files are written, read, listed and deleted', async () => {
  const path = 'notes/today.md';
  const written = await baton.workspace.write(path, 'one', { contentType: 'text/plain' });
  expect(written).toMatchObject({ path, version: 1, contentType: 'text/plain' });
  await baton.workspace.write(path, 'two', { ifMatch: written.etag });
  const stale = baton.workspace.write(path, 'three', { ifMatch: written.etag });
  await expect(stale).rejects.toMatchObject({ code: 'workspace_conflict' });
  expect(await baton.workspace.read(path)).toMatchObject({ content: 'two' });
  expect(await baton.workspace.read(path, { version: 1 })).toMatchObject({ content: 'one' });
  expect((await baton.workspace.list()).map((file) => file.path)).toContain(path);
  expect(await baton.workspace.delete(path)).toBeUndefined();
  await expect(baton.workspace.read(path)).rejects.toMatchObject({ code: 'not_found' });
});

it('secrets are set, listed and deleted', async () => {
  await baton.secrets.put('token', 'a-secret-value');
  expect(await baton.secrets.list()).toMatchObject([{ name: 'token' }]);
  expect(await baton.host.rotateSecrets()).toMatchObject({ secrets: 1 });
  await baton.secrets.delete('token');
  expect(await baton.secrets.list()).toEqual([]);
});

it('webhooks are made, changed and removed', async () => {
  const receiver = await startReceiver();
  const made = await baton.webhooks.create({ url: receiver.url, events: ['run.completed'] });
  const { webhookId } = made;
  expect((await baton.webhooks.list()).map((one) => one.webhookId)).toEqual([webhookId]);
  expect(await baton.webhooks.pause(webhookId)).toMatchObject({ state: 'paused' });
  expect(await baton.webhooks.ping(webhookId)).toBeDefined();
  expect(await baton.webhooks.resume(webhookId)).toMatchObject({ state: 'active' });
  expect((await baton.webhooks.rotate(webhookId, { overlapSeconds: 0 })).secret).not.toBe(made.secret);
  expect(await gathered(baton.webhooks.deliveries(webhookId))).toEqual([]);
  expect(await gathered(baton.webhooks.deadLetters(webhookId))).toEqual([]);
  expect(await baton.webhooks.redeliver(webhookId)).toEqual({ redelivered: 0 });
  await baton.webhooks.delete(webhookId);
  await expect(baton.webhooks.read(webhookId)).rejects.toMatchObject({ code: 'subscription_not_found' });
});

describe('runs', () => {
  it('are proved, exported and erased', async () => {
    const run = await baton.runs.start('quick');
    await run.result();
    expect(await run.attestations()).toMatchObject({ allMatch: true });
    expect(await run.ancestry()).toMatchObject({ runId: run.id, parent: null });
    expect(await run.bundle()).toMatchObject({ run: { runId: run.id } });
    expect(await run.erase({ reason: 'asked to' })).toMatchObject({ erased: true });
    await expect(run.bundle()).rejects.toMatchObject({ code: 'run_erased', status: 410 });
  });

  it('are cancelled together', async () => {
    const run = await baton.runs.start('slow');
    const { results } = await baton.runs.cancelMany([run.id, 'no-such-run'], { reason: 'enough' });
    expect(results).toMatchObject([{ ok: true }, { ok: false, error: { code: 'not_found' } }]);
  });

  it('show what a person is asked to approve', async () => {
    const run = await baton.runs.start('gate');
    for await (const event of run.events()) if (event.type === 'interrupt.requested') break;
    const { interrupt = {} } = await run.snapshot();
    const { artifactId } = interrupt.data as { readonly artifactId: string };
    expect(await run.artifact(artifactId)).toMatchObject({ artifactId, runId: run.id });
    await run.cancel();
  });
});

it('an audit is a sequence of reports', async () => {
  await (await baton.runs.start('quick')).result();
  const reports = await gathered(baton.audit.verify({ limit: 1 }));
  expect(reports.length).toBeGreaterThan(1);
  expect(reports.every(({ ok }) => ok)).toBe(true);
  expect(await baton.audit.key()).toMatchObject({ algorithm: 'Ed25519' });
  await expect(baton.audit.log(0, 0)).resolves.toMatchObject({ fromSeq: 0 });
});

it('the host says how it is', async () => {
  expect(await baton.host.health()).toMatchObject({ status: 'ok' });
  expect(await baton.host.readiness()).toMatchObject({ ready: true, heldRuns: 0 });
  expect(await baton.host.metrics()).toContain('# TYPE');
  expect(await baton.host.capabilities()).toHaveProperty('protocolVersion');
  expect((await baton.host.api()).openapi).toMatch(/^3\.1/);
  expect((await baton.host.agentCard()).protocolVersion).toBe('0.3.0');
  expect(await baton.host.heldRuns()).toEqual({ total: 0, runs: [] });
  await expect(baton.host.releaseHeldRun('no-such-run')).rejects.toMatchObject({ code: 'not_found' });
  expect((await baton.usage()).periods.map(({ period }) => period)).toContain('day');
  expect((await baton.models()).providers.length).toBeGreaterThan(0);
  expect((await baton.peers()).peers).toEqual([]);
});

it('a host that accepts no work is an answer', async () => {
  const away = connect({
    url: 'http://host.example',
    fetch: async () => Response.json({ status: 'stopping' }, { status: 503 }),
  });
  expect(await away.host.readiness()).toEqual({ ready: false, status: 'stopping' });
});
