import { childRunId } from '@baton/protocol';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { type Side, type TwoProcesses, twoProcesses } from './two-processes.ts';

/** Work that is no longer wanted is cancelled on the other host, whichever host is killed meanwhile. */

let hosts: TwoProcesses;
beforeAll(async () => {
  hosts = await twoProcesses(['ask', 'hand-ask']);
}, 60_000);
afterEach(() => hosts.links.b.disturb(undefined));
afterAll(() => hosts?.stop());

/** How often a message with this name was sent to host b. */
const sent = (name: string) => hosts.links.b.passed.filter((one) => one.name === name).length;

async function begin(): Promise<string> {
  const response = await hosts.send('a', 'POST', '/v1/runs', { workflowId: 'hand-ask' });
  return ((await response.json()) as { runId: string }).runId;
}

async function is(side: Side, runId: string, status: string): Promise<void> {
  await eventually(async () => {
    expect(await hosts.read(side, `/v1/runs/${runId}`)).toMatchObject({ status });
  });
}

async function cancel(runId: string): Promise<void> {
  expect((await hosts.send('a', 'POST', `/v1/runs/${runId}/cancel`, {})).status).toBe(200);
  await is('a', runId, 'cancelled');
}

async function remoteOf(runId: string): Promise<string> {
  return eventually(async () => {
    const log = await hosts.eventsOf('a', childRunId(runId, 1));
    const [begun] = log.flatMap(({ type, payload }) =>
      type === 'core.workflowChain.event' && payload.phase === 'dispatch.succeeded' ? [payload] : [],
    );
    if (begun === undefined) throw new Error('the work has not begun');
    return String(begun.childRunId);
  });
}

/** Requests with this name get no answer, as if the way to host b was cut. */
function cutting(name: string): void {
  hosts.links.b.disturb(async (request, forward) => (request.name === name ? undefined : forward()));
}

it('is told by the next process, when the host is killed before it could tell', async () => {
  const runId = await begin();
  const remoteId = await remoteOf(runId);
  const before = sent('CancelTask');
  cutting('CancelTask');
  await cancel(runId);
  await eventually(() => expect(sent('CancelTask')).toBeGreaterThan(before));
  await hosts.end('a', 'SIGKILL');
  hosts.links.b.disturb(undefined);
  await is('b', remoteId, 'waiting-approval');
  await hosts.start('a');
  await is('b', remoteId, 'cancelled');
});

it('is told without the id of the task, when the host is killed before it has got the id', async () => {
  let remoteId = '';
  hosts.links.b.disturb(async ({ name }, forward) => {
    if (name === 'CancelTask') return undefined;
    const brought = await forward();
    if (name !== 'SendMessage') return brought;
    remoteId = JSON.parse(brought.body).result.task.id;
    return new Promise(() => undefined);
  });
  const runId = await begin();
  await eventually(() => expect(remoteId).not.toBe(''));
  await cancel(runId);
  await hosts.end('a', 'SIGKILL');
  hosts.links.b.disturb(undefined);
  await is('b', remoteId, 'waiting-approval');
  await hosts.start('a');
  await is('b', remoteId, 'cancelled');
});

it('is told when the other host is back, and once', { timeout: 120_000 }, async () => {
  const runId = await begin();
  const remoteId = await remoteOf(runId);
  await hosts.end('b', 'SIGKILL');
  const before = sent('CancelTask');
  await cancel(runId);
  await eventually(() => expect(sent('CancelTask')).toBeGreaterThan(before));
  await hosts.start('b');
  await is('b', remoteId, 'cancelled');
  const told = sent('CancelTask');
  expect(await hosts.end('a', 'SIGTERM')).toBe(0);
  await hosts.start('a');
  // The next work is cancelled after everything that the new process found in its store.
  const next = await begin();
  const nextId = await remoteOf(next);
  await cancel(next);
  await is('b', nextId, 'cancelled');
  expect(sent('CancelTask')).toBe(told + 1);
});
