import { type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import { publicKey, verifiesStatement } from '@baton/engine';
import { digest, HANDOFF_EXTENSION, type Json, type ResultStatement } from '@baton/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { startTestHost } from '../http/host.ts';
import {
  a2aClient,
  data,
  message,
  outputsOf,
  part,
  sending,
  sendTo,
  taskIn,
  text,
  WIRE_VERSIONS,
} from './a2a-client.ts';

const publish = ['quick', 'echo', 'slow', 'doomed', 'gate', 'question', 'unregistered'];
const host = await startTestHost({ publish, hostId: 'here' });
afterAll(() => host.stop());

async function collected(stream: AsyncGenerator<StreamResponse>): Promise<StreamResponse[]> {
  const events: StreamResponse[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

function stateOf(event: StreamResponse | undefined): TaskState | undefined {
  const payload = event?.payload;
  if (payload?.$case === 'task' || payload?.$case === 'statusUpdate') return payload.value.status?.state;
  return undefined;
}

/** The run of a task ends without A2A. */
async function accept(taskId: string): Promise<void> {
  await host.post(`/v1/runs/${taskId}/interrupts/gate`, { resumeValue: { action: 'accept' } });
}

function statementIn({ artifacts }: Task): ResultStatement {
  return artifacts[0]?.metadata?.[HANDOFF_EXTENSION] as ResultStatement;
}

describe.each(WIRE_VERSIONS)('the official client with A2A %s', (version) => {
  const client = () => a2aClient(host.url, { version });

  it('sends a message, and the task is a run with its variables as outputs', async () => {
    const task = await sendTo(await client(), 'echo', [data({ payload: { n: 1 } })]);
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(outputsOf(task)).toEqual({ payload: { n: 1 } });
    const run = await host.get(`/v1/runs/${task.id}`);
    expect(run.body).toMatchObject({ workflowId: 'echo', status: 'completed' });
    expect(task.metadata?.[HANDOFF_EXTENSION]).toEqual({
      hostId: 'here',
      runId: task.id,
      status: 'completed',
    });
  });

  it('returns at once, and then reads and cancels the task', async () => {
    const caller = await client();
    const task = await sendTo(caller, 'slow', [data({})], { returnImmediately: true });
    expect(task.status?.state).toBe(TaskState.TASK_STATE_WORKING);
    const read = await caller.getTask({ tenant: '', id: task.id });
    expect(read).toMatchObject({ id: task.id, contextId: task.id, artifacts: [] });
    const cancelled = await caller.cancelTask({ tenant: '', id: task.id, metadata: undefined });
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect(outputsOf(cancelled)).toEqual({});
    await expect(caller.cancelTask({ tenant: '', id: task.id, metadata: undefined })).rejects.toThrow(
      /has already ended/,
    );
  });

  it('streams a task until it asks back, and its end with the result', async () => {
    const caller = await client();
    const metadata = { skillId: 'gate' };
    const stream = caller.sendMessageStream(sending(message([data({ colour: 'red' })], { metadata })));
    const events = await collected(stream);
    expect(events.at(0)?.payload?.$case).toBe('task');
    expect(stateOf(events.at(-1))).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const first = events[0]?.payload;
    const taskId = first?.$case === 'task' ? first.value.id : '';
    const rest = caller.resubscribeTask({ tenant: '', id: taskId });
    const opening = await rest.next();
    expect(stateOf(opening.value as StreamResponse)).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    await accept(taskId);
    const later = await collected(rest);
    expect(later.map(({ payload }) => payload?.$case)).toContain('artifactUpdate');
    expect(stateOf(later.at(-1))).toBe(TaskState.TASK_STATE_COMPLETED);
    await expect(collected(caller.resubscribeTask({ tenant: '', id: taskId }))).rejects.toThrow(/has ended/);
  });

  it('answers an approval and a clarification with a message to the task', async () => {
    const caller = await client();
    const gate = await sendTo(caller, 'gate', [data({})]);
    expect(gate.metadata?.openwop).toMatchObject({ interrupt: { kind: 'approval' } });
    const approved = await caller.sendMessage(sending(message([text(' Accept ')], { taskId: gate.id })));
    expect(taskIn(approved).status?.state).toBe(TaskState.TASK_STATE_COMPLETED);

    const question = await sendTo(caller, 'question', [data({})]);
    expect(question.metadata?.openwop).toMatchObject({ interrupt: { kind: 'clarification' } });
    expect(question.status?.message?.parts[0]?.content?.value).toBe('Which colour?');
    const told = await caller.sendMessage(sending(message([text('blue')], { taskId: question.id })));
    expect(taskIn(told).status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    await expect(
      caller.sendMessage(sending(message([text('red')], { taskId: question.id }))),
    ).rejects.toThrow(/has ended/);
  });

  it('says why a task failed', async () => {
    const task = await sendTo(await client(), 'doomed', [data({})]);
    expect(task.status?.state).toBe(TaskState.TASK_STATE_FAILED);
    expect(task.status?.message?.parts[0]?.content?.value).toBe('as it was told to');
    expect(task.status?.message?.metadata).toEqual({
      openwop: { error: { code: 'it_broke', message: 'as it was told to' } },
    });
    expect(statementIn(task)).toMatchObject({ status: 'failed', checksum: digest({}) });
  });

  it('starts one run for a message that is sent twice, and refuses another one with its id', async () => {
    const caller = await client();
    const first = message([data({ payload: { n: 2 } })], { metadata: { skillId: 'echo' } });
    const [one, same] = await Promise.all([
      caller.sendMessage(sending(first)),
      caller.sendMessage(sending(first, { returnImmediately: true })),
    ]);
    expect(taskIn(same).id).toBe(taskIn(one).id);
    const other = { ...first, parts: [data({ payload: { n: 3 } })] };
    await expect(caller.sendMessage(sending(other))).rejects.toThrow(/was used with a different request/);
  });

  it('refuses files, unknown tasks, skills that are not published and messages without a skill', async () => {
    const caller = await client();
    const file = part({ $case: 'raw', value: Buffer.from('x') });
    await expect(sendTo(caller, 'echo', [file])).rejects.toThrow(/no files/);
    await expect(caller.getTask({ tenant: '', id: 'none' })).rejects.toThrow(/There is no task none/);
    for (const skill of ['short-wait', 'does-not-exist']) {
      await expect(sendTo(caller, skill, [data({})])).rejects.toThrow(
        `"${skill}" is not published to this caller; these are: quick, echo, slow, doomed, gate, question.`,
      );
    }
    await expect(caller.sendMessage(sending(message([data({})])))).rejects.toThrow(
      /Name one of these skills in metadata.skillId: quick, echo/,
    );
    await expect(sendTo(caller, 'quick', [text('hello')])).rejects.toThrow(/takes no text/);
  });
});

it('signs the result, so that it can be checked without the host', async () => {
  const task = await sendTo(await a2aClient(host.url), 'echo', [data({ payload: { n: 4 } })]);
  const { body } = await host.get('/.well-known/openwop');
  const spki = body.auth.auditLogIntegrity.checkpointPublicKey;
  const key = publicKey(`-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----`, 'the test');
  const statement = statementIn(task);
  expect(verifiesStatement(key, statement)).toBe(true);
  expect(verifiesStatement(key, { ...statement, status: 'failed' })).toBe(false);
  expect(statement).toMatchObject({
    hostId: 'here',
    runId: task.id,
    status: 'completed',
    checksum: digest(outputsOf(task) as Json),
  });
  const { body: log } = await host.get(`/v1/runs/${task.id}/events`);
  expect(statement.eventId).toBe(log.events.at(-1).eventId);
});

it('lists the tasks of a context, by state and in pages', async () => {
  const caller = await a2aClient(host.url);
  const contextId = 'trip-to-rome';
  const ids: string[] = [];
  for (const skillId of ['quick', 'doomed', 'quick']) {
    const sent = await caller.sendMessage(sending(message([data({})], { contextId, metadata: { skillId } })));
    expect(taskIn(sent).contextId).toBe(contextId);
    ids.unshift(taskIn(sent).id);
  }
  const asked = {
    tenant: '',
    contextId,
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageToken: '',
    statusTimestampAfter: undefined,
  };
  const all = await caller.listTasks(asked);
  expect(all).toMatchObject({ totalSize: 3, nextPageToken: '' });
  expect(all.tasks.map(({ id }) => id)).toEqual(ids);
  const failed = await caller.listTasks({ ...asked, status: TaskState.TASK_STATE_FAILED });
  expect(failed.tasks.map(({ id }) => id)).toEqual([ids[1]]);
  const page = await caller.listTasks({ ...asked, pageSize: 2, includeArtifacts: true });
  expect(page.tasks.map(outputsOf)).toEqual([{}, {}]);
  const next = await caller.listTasks({ ...asked, pageSize: 2, pageToken: page.nextPageToken });
  expect(next.tasks.map(({ id }) => id)).toEqual([ids[2]]);
});

it('hides a secret in the outputs, and signs what it shows', async () => {
  const caller = await a2aClient(host.url);
  const task = await sendTo(caller, 'echo', [data({ payload: { word: 'swordfish-4711' } })]);
  await host.send('PUT', '/v1/secrets/WORD', { value: 'swordfish-4711' });
  const read = await caller.getTask({ tenant: '', id: task.id });
  expect(JSON.stringify(read)).not.toContain('swordfish-4711');
  expect(statementIn(read).checksum).toBe(digest(outputsOf(read) as Json));
  expect(statementIn(read).checksum).not.toBe(statementIn(task).checksum);
});
