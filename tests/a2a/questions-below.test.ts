import { Role, type Task, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { afterAll, describe, expect, it } from 'vitest';
import { ASKING_WORKFLOWS } from '../http/asking-workflows.ts';
import { ALL_SCOPES, startTestHost } from '../http/host.ts';
import { a2aClient, data, message, sending, sendTo, taskIn, text, WIRE_VERSIONS } from './a2a-client.ts';

const keys = [{ token: 'other', tenant: 'other', scopes: ALL_SCOPES }];
const publish = ['desk', 'busy', 'above-merging', 'gate'];
/** Questions of the runs below a task are questions of the task, and its history holds them with their answers. */
const host = await startTestHost({ publish, builtinWorkflows: ASKING_WORKFLOWS }, keys);
afterAll(() => host.stop());

const asked = ({ metadata }: Task) => metadata?.openwop?.interrupt;

async function answered(
  client: Client,
  taskId: string,
  words: string,
  historyLength?: number,
): Promise<Task> {
  const given = sending(message([text(words)], { taskId }), { historyLength });
  return taskIn(await client.sendMessage(given));
}

function said({ history }: Task): readonly unknown[] {
  return history.map(({ role, parts }) => [
    role === Role.ROLE_USER ? 'user' : 'agent',
    parts[0]?.content?.value,
  ]);
}

describe.each(WIRE_VERSIONS)('with A2A %s', (version) => {
  const client = () => a2aClient(host.url, { version });

  it('asks the questions of two children one after the other, and takes the answers', async () => {
    const caller = await client();
    const first = await sendTo(caller, 'desk', [data({})]);
    expect(first.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(first.status?.message?.parts[0]?.content?.value).toBe('Ship it?');
    expect(asked(first)).toMatchObject({ kind: 'approval', runId: `${first.id}.1` });
    const second = await answered(caller, first.id, 'accept');
    expect(second.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(asked(second)).toMatchObject({ kind: 'clarification', runId: `${first.id}.2` });
    const ended = await answered(caller, first.id, 'blue');
    expect(ended.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(asked(ended)).toBeUndefined();
  });

  it('asks while other work of the task goes on, and goes back to work after the answer', async () => {
    const caller = await client();
    const metadata = { skillId: 'busy' };
    const states: (TaskState | undefined)[] = [];
    let taskId = '';
    for await (const { payload } of caller.sendMessageStream(sending(message([data({})], { metadata })))) {
      if (payload?.$case === 'task') taskId = payload.value.id;
      if (payload?.$case === 'task' || payload?.$case === 'statusUpdate')
        states.push(payload.value.status?.state);
    }
    expect(states.at(-1)).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect((await host.get(`/v1/runs/${taskId}`)).body.status).toBe('running');
    // Only A2A 1.0 can list tasks.
    const query = { tenant: '', contextId: '', pageToken: '', statusTimestampAfter: undefined };
    const lister = await a2aClient(host.url);
    const listed = async (status: TaskState) => {
      const { tasks } = await lister.listTasks({ ...query, status });
      return tasks.map(({ id }) => id);
    };
    expect(await listed(TaskState.TASK_STATE_INPUT_REQUIRED)).toContain(taskId);
    expect(await listed(TaskState.TASK_STATE_WORKING)).not.toContain(taskId);
    const rest = caller.resubscribeTask({ tenant: '', id: taskId });
    await rest.next();
    const reply = message([text('accept')], { taskId });
    await caller.sendMessage(sending(reply, { returnImmediately: true }));
    const { payload } = (await rest.next()).value as {
      payload?: { $case: string; value: Pick<Task, 'status'> };
    };
    expect(payload?.value.status?.state).toBe(TaskState.TASK_STATE_WORKING);
    const cancelled = await caller.cancelTask({ tenant: '', id: taskId, metadata: undefined });
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await rest.return(undefined);
  });

  it('asks whether the outputs of a grandchild may be merged', async () => {
    const caller = await client();
    const task = await sendTo(caller, 'above-merging', [data({})]);
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(asked(task)).toMatchObject({ kind: 'approval', runId: `${task.id}.1` });
    const ended = await answered(caller, task.id, 'accept');
    expect(ended.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  it('shows the messages of a task, as many of the newest as are asked for', async () => {
    const caller = await client();
    const given = message([data({ colour: 'red' })], { metadata: { skillId: 'desk' } });
    const started = taskIn(await caller.sendMessage(sending(given)));
    // The open question is the message of the status.
    expect(said(started)).toEqual([['user', { colour: 'red' }]]);
    expect(started.history[0]?.messageId).toBe(given.messageId);
    await answered(caller, started.id, 'accept');
    expect((await answered(caller, started.id, 'blue', 0)).history).toEqual([]);
    const all = await caller.getTask({ tenant: '', id: started.id });
    const whole = [
      ['user', { colour: 'red' }],
      ['agent', 'Ship it?'],
      ['user', { action: 'accept' }],
      ['agent', 'Which colour?'],
      ['user', { answers: { q1: 'blue' } }],
    ];
    expect(said(all)).toEqual(whole);
    const newest = await caller.getTask({ tenant: '', id: started.id, historyLength: 2 });
    expect(said(newest)).toEqual(whole.slice(-2));
    expect((await caller.getTask({ tenant: '', id: started.id, historyLength: 0 })).history).toEqual([]);
    await expect(caller.getTask({ tenant: '', id: started.id, historyLength: -1 })).rejects.toThrow(
      /historyLength/,
    );
  });
});

it('lists tasks without their history, unless it is asked for', async () => {
  const caller = await a2aClient(host.url);
  const contextId = 'listed-with-history';
  await caller.sendMessage(sending(message([data({})], { contextId, metadata: { skillId: 'gate' } })));
  const query = {
    tenant: '',
    contextId,
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageToken: '',
    statusTimestampAfter: undefined,
  };
  expect((await caller.listTasks(query)).tasks[0]?.history).toEqual([]);
  expect((await caller.listTasks({ ...query, historyLength: 5 })).tasks[0]?.history).toHaveLength(1);
});

it('keeps secrets and other tenants out of the history', async () => {
  const caller = await a2aClient(host.url);
  const task = await sendTo(caller, 'gate', [data({ word: 'open-sesame-4711' })]);
  await host.send('PUT', '/v1/secrets/HISTORY_WORD', { value: 'open-sesame-4711' });
  const read = await caller.getTask({ tenant: '', id: task.id });
  expect(read.history).toHaveLength(1);
  expect(JSON.stringify(read)).not.toContain('open-sesame-4711');
  const other = await a2aClient(host.url, { key: 'other' });
  await expect(other.getTask({ tenant: '', id: task.id })).rejects.toThrow(/There is no task/);
});
