import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskState } from '@a2a-js/sdk';
import { afterAll, expect, it } from 'vitest';
import { API_KEY, startProcess } from '../crash/host-process.ts';
import { a2aClient, data, message, sending, taskIn, text } from './a2a-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-a2a-crash-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('goes on with a task after the host was killed, and a message that is sent again starts nothing', async () => {
  const gate = {
    id: 'gate',
    nodes: [{ id: 'gate', typeId: 'core.approvalGate', config: { title: 'Ship it?' } }],
  };
  writeFileSync(join(folder, 'gate.json'), JSON.stringify(gate));
  const dataFolder = join(folder, 'data');
  const env = { BATON_PUBLISH: 'gate' };
  const first = await startProcess(dataFolder, folder, env);
  const given = message([data({ colour: 'red' })]);
  const before = await a2aClient(first.url, { key: API_KEY });
  const task = taskIn(await before.sendMessage(sending(given)));
  expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  await first.kill('SIGKILL');

  const second = await startProcess(dataFolder, folder, env);
  const after = await a2aClient(second.url, { key: API_KEY });
  const again = taskIn(await after.sendMessage(sending(given)));
  expect([again.id, again.status?.state]).toEqual([task.id, TaskState.TASK_STATE_INPUT_REQUIRED]);
  const ended = taskIn(await after.sendMessage(sending(message([text('accept')], { taskId: task.id }))));
  expect(ended.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  await second.kill('SIGTERM');
});
