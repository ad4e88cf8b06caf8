import { randomUUID } from 'node:crypto';
import { Role, TaskState } from '@a2a-js/sdk';
import { DEFAULT_LIMITS } from '@baton/engine';
import { HANDOFF_EXTENSION, type HandoffMetadata } from '@baton/protocol';
import { afterAll, expect, it } from 'vitest';
import { OPERATOR_KEY } from '../http/host.ts';
import {
  ACME,
  handoffOf,
  ORIGIN,
  READER,
  RIVAL,
  startHostWithPeers,
  TRACEPARENT,
  tokenOf,
} from '../http/host-with-peers.ts';
import { a2aClient, data, message, sending, taskIn } from './a2a-client.ts';

/** Work that a registered peer hands over. */
const host = await startHostWithPeers();
afterAll(() => host.stop());

const client = (peer = ACME) => a2aClient(host.url, { key: () => tokenOf(peer) });

const handoff = (more: Partial<HandoffMetadata> = {}) => handoffOf(randomUUID(), more);

async function hand(work: HandoffMetadata, { from = ACME, inputs = {} as object } = {}) {
  const given = message([data(inputs)], { metadata: { [HANDOFF_EXTENSION]: work } });
  return taskIn(await (await client(from)).sendMessage(sending(given)));
}

async function startOf(taskId: string) {
  const { body } = await host.get(`/v1/runs/${taskId}/events`, READER);
  return body.events[0].payload;
}

it('records where the work comes from, and what is above it', async () => {
  const task = await hand(handoff());
  expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(await startOf(task.id)).toMatchObject({
    owner: { tenant: 'peers', principal: 'peer:acme' },
    traceparent: TRACEPARENT,
    lineage: ['@host-of-acme/desk', 'review'],
    origin: { cause: 'a2a-message', ...ORIGIN },
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
  await expect(hand(handoff(), { from: RIVAL })).rejects.toThrow(/Only a registered peer can hand work over/);
  const given = message([data({})], { metadata: { [HANDOFF_EXTENSION]: handoff() } });
  const operator = await a2aClient(host.url, { key: OPERATOR_KEY });
  await expect(operator.sendMessage(sending(given))).rejects.toThrow(/Only a registered peer/);
});

it('gives a peer only what is published to it', async () => {
  await expect(hand(handoff({ worker: 'quick' }))).rejects.toThrow(
    '"quick" is not published to this caller; these are: echo, slow, gate.',
  );
});

it('shows a peer only its own tasks', async () => {
  const caller = await client();
  const given = message([data({})], { metadata: { [HANDOFF_EXTENSION]: handoff({ worker: 'slow' }) } });
  const task = taskIn(await caller.sendMessage(sending(given, { returnImmediately: true })));
  const other = await client(RIVAL);
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

it('shows a peer the questions of its task, and of the answers only its own', async () => {
  const caller = await client();
  const answers = async (give: (taskId: string) => Promise<unknown>) => {
    const { id, status } = await hand(handoff({ worker: 'gate' }));
    expect(status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    await give(id);
    const { history } = await caller.getTask({ tenant: '', id });
    expect(history.filter(({ role }) => role === Role.ROLE_AGENT)).toHaveLength(1);
    return history.filter(({ role }) => role === Role.ROLE_USER).slice(1);
  };
  const resumeValue = { action: 'accept', comment: 'Only for us.' };
  expect(await answers((id) => host.post(`/v1/runs/${id}/interrupts/gate`, { resumeValue }, READER))).toEqual(
    [],
  );
  const own = message([data({ action: 'accept', comment: 'From acme.' })]);
  const given = await answers((taskId) => caller.sendMessage(sending({ ...own, taskId })));
  expect(JSON.stringify(given)).toContain('From acme.');
});
