import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskState } from '@a2a-js/sdk';
import { DEFAULT_LIMITS, newSigningKey, signingKey } from '@baton/engine';
import { HANDOFF_EXTENSION, type HandoffMetadata } from '@baton/protocol';
import { openSqliteStore } from '@baton/store-sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { peerToken } from '../../packages/server/src/peers/peer-token.ts';
import { OPERATOR_KEY, startTestHost, type TestHost } from '../http/host.ts';
import { a2aClient, data, message, sending, taskIn } from './a2a-client.ts';

/** Work that a registered peer hands over. */

const folder = mkdtempSync(join(tmpdir(), 'baton-a2a-'));
const acme = { hostId: 'host-of-acme', auditKey: signingKey(newSigningKey(), 'the test') };
const rival = { hostId: 'host-of-rival', auditKey: signingKey(newSigningKey(), 'the test') };
let host: TestHost;

beforeAll(async () => {
  const store = openSqliteStore(folder);
  for (const [name, { hostId, auditKey }] of Object.entries({ acme, rival })) {
    await store.putPeer({
      name,
      url: `https://${name}.example`,
      kind: 'baton',
      hostId,
      auditKey: auditKey.pem,
      // Both share a tenant, so that only their principals keep their tasks apart.
      tenant: 'peers',
      publishes: name === 'acme' ? ['echo', 'slow'] : ['quick'],
      createdAt: 0,
    });
  }
  await store.close();
  const keys = [{ token: 'reader', tenant: 'peers', scopes: ['runs:read'] }];
  host = await startTestHost({ dataFolder: folder, hostId: 'here' }, keys);
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

const client = (peer = acme) => a2aClient(host.url, { key: () => peerToken(peer, 'here', Date.now()) });

function handoff(more: Partial<HandoffMetadata> = {}): HandoffMetadata {
  return {
    worker: 'echo',
    parentRunId: 'run-of-acme',
    causationId: 'run-of-acme:7',
    causationHostId: acme.hostId,
    idempotencyKey: randomUUID(),
    lineage: ['@host-of-acme/desk'],
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    ...more,
  };
}

async function hand(work: HandoffMetadata, { from = acme, inputs = {} as object } = {}) {
  const given = message([data(inputs)], { metadata: { [HANDOFF_EXTENSION]: work } });
  return taskIn(await (await client(from)).sendMessage(sending(given)));
}

async function startOf(taskId: string) {
  const { body } = await host.get(`/v1/runs/${taskId}/events`, { key: 'reader' });
  return body.events[0].payload;
}

it('records where the work comes from, and what is above it', async () => {
  const task = await hand(handoff({ lineage: ['@host-of-acme/desk', '@here/review'] }));
  expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(await startOf(task.id)).toMatchObject({
    owner: { tenant: 'peers', principal: 'peer:acme' },
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    lineage: ['@host-of-acme/desk', 'review'],
    origin: {
      cause: 'a2a-message',
      hostId: 'host-of-acme',
      runId: 'run-of-acme',
      causationId: 'run-of-acme:7',
      wellKnownUrl: 'https://acme.example/.well-known/openwop',
    },
  });
});

it('starts one run for one idempotency key, whatever the id of the message', async () => {
  const work = handoff();
  const first = await hand(work, { inputs: { payload: { n: 1 } } });
  const again = { ...work, traceparent: '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01' };
  expect((await hand(again, { inputs: { payload: { n: 1 } } })).id).toBe(first.id);
  await expect(hand(work, { inputs: { payload: { n: 2 } } })).rejects.toThrow(/with a different request/);
});

it('rejects work that would go in a circle, or that is nested too deep', async () => {
  const circle = await hand(handoff({ lineage: ['@here/echo', '@host-of-acme/desk'] }));
  expect(circle.status?.state).toBe(TaskState.TASK_STATE_REJECTED);
  expect(circle.metadata?.openwop).toMatchObject({ error: { code: 'cycle_detected' } });
  const elsewhere = await hand(handoff({ lineage: ['@host-of-acme/echo'] }));
  expect(elsewhere.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  const lineage = Array.from({ length: DEFAULT_LIMITS.maxDepth }, (_, depth) => `@host-of-acme/w${depth}`);
  const deep = await hand(handoff({ lineage }));
  expect(deep.status?.state).toBe(TaskState.TASK_STATE_REJECTED);
  expect(deep.metadata?.openwop).toMatchObject({ error: { code: 'depth_limit_exceeded' } });
  expect((await hand(handoff({ lineage: lineage.slice(1) }))).status?.state).toBe(
    TaskState.TASK_STATE_COMPLETED,
  );
});

it('takes handoffs only from the host that they name', async () => {
  await expect(hand(handoff(), { from: rival })).rejects.toThrow(/Only a registered peer can hand work over/);
  const given = message([data({})], { metadata: { [HANDOFF_EXTENSION]: handoff() } });
  const operator = await a2aClient(host.url, { key: OPERATOR_KEY });
  await expect(operator.sendMessage(sending(given))).rejects.toThrow(/Only a registered peer/);
});

it('gives a peer only what is published to it', async () => {
  await expect(hand(handoff({ worker: 'quick' }))).rejects.toThrow(
    '"quick" is not published to this caller; these are: echo, slow.',
  );
});

it('shows a peer only its own tasks', async () => {
  const caller = await client();
  const given = message([data({})], { metadata: { [HANDOFF_EXTENSION]: handoff({ worker: 'slow' }) } });
  const task = taskIn(await caller.sendMessage(sending(given, { returnImmediately: true })));
  const other = await client(rival);
  await expect(other.getTask({ tenant: '', id: task.id })).rejects.toThrow(/There is no task/);
  await expect(other.cancelTask({ tenant: '', id: task.id, metadata: undefined })).rejects.toThrow(
    /There is no task/,
  );
  const listed = await other.listTasks({
    tenant: '',
    contextId: '',
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageToken: '',
    statusTimestampAfter: undefined,
  });
  expect(listed).toMatchObject({ tasks: [], totalSize: 0 });
  const cancelled = await caller.cancelTask({ tenant: '', id: task.id, metadata: undefined });
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
});
