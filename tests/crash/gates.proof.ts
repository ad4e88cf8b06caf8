import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EventOf, RunEvent } from '@baton/protocol';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { afterAll, afterEach, expect, it } from 'vitest';
import { checkLogs } from '../reference/check-logs.ts';
import { verifies } from '../verifies.ts';
import { API_KEY, call, type HostProcess, startProcess } from './host-process.ts';

/** The example with every gate there is, killed without warning at each of its steps. */

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));
const data = mkdtempSync(join(tmpdir(), 'baton-gates-'));
let host: HostProcess;

afterEach(() => host.kill('SIGKILL'));
afterAll(() => rmSync(data, { recursive: true, force: true }));

interface Step {
  readonly name: string;
  readonly type: RunEvent['type'];
  /** How many events of the type there have to be. */
  readonly count: number;
}

const STEPS: readonly Step[] = [
  { name: 'the writer is at work', type: 'node.dispatched', count: 1 },
  { name: 'the critic is at work', type: 'baton.critic.started', count: 1 },
  { name: 'the writer is sent back', type: 'node.dispatched', count: 2 },
  { name: 'the critic looks again', type: 'baton.critic.started', count: 2 },
  { name: 'a person is asked', type: 'interrupt.requested', count: 1 },
];

/** Follows the live stream from its beginning until the step is seen. */
async function seen(runId: string, { type, count }: Omit<Step, 'name'>): Promise<readonly string[]> {
  const cut = new AbortController();
  const response = await fetch(`${host.url}/v1/runs/${runId}/events`, {
    headers: { authorization: `Bearer ${API_KEY}`, accept: 'text/event-stream' },
    signal: cut.signal,
  });
  const messages = response
    .body!.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  const texts: string[] = [];
  let left = count;
  for await (const { event, data: text } of messages) {
    texts.push(text);
    if (event === type) left -= 1;
    if (left === 0) break;
  }
  cut.abort();
  expect(left, `${count} × ${type}`).toBe(0);
  return texts;
}

async function restart(): Promise<void> {
  await host.kill('SIGKILL');
  host = await startProcess(data, EXAMPLES);
}

async function read<T>(path: string): Promise<T> {
  const response = await call(host.url, 'GET', path);
  expect(response.status, path).toBe(200);
  return (await response.json()) as T;
}

const EDIT = { action: 'edit-accept', editedArtifactData: { text: 'Tides, checked by hand.' } };
const answer = (runId: string) =>
  call(host.url, 'POST', `/v1/runs/${runId}/interrupts/commission`, { resumeValue: EDIT });

it('merges exactly once, whatever step the host is killed at', { timeout: 120_000 }, async () => {
  verifies('ATTEST-15');
  host = await startProcess(data, EXAMPLES);
  const created = await call(host.url, 'POST', '/v1/runs', { workflowId: 'vetted-report' });
  const { runId } = (await created.json()) as { runId: string };

  let known: readonly string[] = [];
  for (const step of STEPS) {
    const texts = await seen(runId, step);
    expect(texts.slice(0, known.length), step.name).toEqual(known);
    known = texts;
    await restart();
    const { variables } = await read<{ variables: object }>(`/v1/runs/${runId}`);
    expect(variables, step.name).not.toHaveProperty('report');
  }

  // Killed while the answer is on its way: either it counted or it did not, and nobody knows which.
  const onItsWay = answer(runId).catch(() => undefined);
  await restart();
  await onItsWay;
  const { status } = await read<{ status: string }>(`/v1/runs/${runId}`);
  if (status === 'waiting-approval') expect((await answer(runId)).status).toBe(200);
  await seen(runId, { type: 'run.completed', count: 1 });
  await restart();

  expect(await read(`/v1/runs/${runId}`)).toMatchObject({
    status: 'completed',
    variables: { report: EDIT.editedArtifactData.text },
    goal: { met: true },
  });
  const { events } = await read<{ events: readonly RunEvent[] }>(`/v1/runs/${runId}/events`);
  expect(events.slice(0, known.length)).toEqual(known.map((text) => JSON.parse(text)));
  expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index));
  const of = <T extends RunEvent['type']>(type: T) =>
    events.filter((event): event is EventOf<T> => event.type === type);
  const next = EDIT.editedArtifactData.text;
  expect(of('agent.verified').map(({ payload }) => payload.verdict)).toEqual(['revise', 'pass']);
  expect(of('interrupt.requested')).toHaveLength(1);
  expect(of('approval.received')).toMatchObject([
    { payload: { action: 'edit-accept', decidedBy: 'operator' } },
  ]);
  expect(of('variable.changed')).toMatchObject([{ payload: { name: 'report', next } }]);
  expect(of('baton.merge.settled')).toMatchObject([
    { payload: { merged: true, why: 'edited', verdict: 'pass' } },
  ]);
  expect(of('node.dispatched')).toHaveLength(2);

  const { runs } = await read<{ runs: { role?: string; status: string }[] }>(`/v1/runs?parentRunId=${runId}`);
  expect(runs.map(({ role, status }) => [role, status])).toEqual([
    ['critic', 'completed'],
    [undefined, 'completed'],
    ['critic', 'completed'],
    [undefined, 'completed'],
  ]);
  expect(await read(`/v1/runs/${runId}/attestations`)).toMatchObject({
    allMatch: true,
    attestations: [{ why: 'revised' }, { why: 'edited', matches: true }],
  });
  expect(await host.kill('SIGTERM')).toBe(0);
  checkLogs(data);
});
