import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '@baton/protocol';
import { afterAll, expect, it } from 'vitest';
import { checkLogs } from '../reference/check-logs.ts';
import { call, type HostProcess, startProcess } from './host-process.ts';
import { type Outside, startOutside } from './outside.ts';
import { eventsFrom, type Watch, watch } from './watched-run.ts';

/**
 * A run with three model calls and two tools, one of which may not be repeated. Its host is killed without
 * warning at each of its events. The model and the tools are real servers, and they count.
 *
 * Each process of the host has several runs, each of which is held at an event of its own.
 * `BATON_KILLS_AT_ONCE=1` gives each event a process of its own.
 */

const AT_ONCE = Number(process.env.BATON_KILLS_AT_ONCE ?? 12);
const AGENT_ID = 'local.crash.clerk';

const folder = mkdtempSync(join(tmpdir(), 'baton-agents-'));
const data = join(folder, 'data');
const workflows = join(folder, 'workflows');
mkdirSync(workflows);
const watches = new Map<string, Watch>();
let life = 0;
let outside: Outside;
let host: HostProcess | undefined;

afterAll(async () => {
  await host?.kill('SIGKILL');
  await outside?.close();
  rmSync(folder, { recursive: true, force: true });
});

function watchOf(runId: string): Watch {
  const known = watches.get(runId) ?? watch();
  watches.set(runId, known);
  return known;
}

function written(name: string, content: object): string {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

/** The environment of a host that uses the servers of this test. */
function environment({ modelURL, toolURL }: Outside): Record<string, string> {
  const agents = join(folder, 'agents');
  mkdirSync(agents);
  const agent = { agentId: AGENT_ID, persona: 'Clerk', modelClass: 'general', systemPrompt: 'Send it.' };
  written('agents/clerk.json', { ...agent, toolAllowlist: ['http:read', 'http:send'] });
  const tool = (name: string, method: string) => ({
    description: name,
    method,
    url: `${toolURL}/${name}`,
    private: true,
    parameters: { type: 'object' },
  });
  return {
    BATON_AGENTS: agents,
    BATON_MODELS: written('models.json', {
      providers: { wire: { kind: 'openai-compatible', baseURL: modelURL } },
      classes: { general: 'wire/m' },
    }),
    BATON_TOOLS: written('tools.json', { http: { read: tool('read', 'GET'), send: tool('send', 'POST') } }),
  };
}

async function read<T>({ url }: HostProcess, path: string): Promise<T> {
  const response = await call(url, 'GET', path);
  expect(response.status, path).toBe(200);
  return (await response.json()) as T;
}

const eventsOf = async (at: HostProcess, runId: string) =>
  (await read<{ events: readonly RunEvent[] }>(at, `/v1/runs/${runId}/events`)).events;

/** Starts a run and follows it to the event with this number. */
async function begin({ url }: HostProcess, until: number): Promise<string> {
  const created = await call(url, 'POST', '/v1/runs', { agentId: AGENT_ID, inputs: { task: 'Send it.' } });
  expect(created.status).toBe(201);
  const { runId } = (await created.json()) as { runId: string };
  await watchOf(runId).follow(url, runId, until);
  return runId;
}

const requestsOf = (runId: string) => outside.received.filter(({ key }) => key.startsWith(`${runId}/`));

/**
 * Ends a run of an earlier process. A person is asked only about the call of the tool that may not be repeated:
 * if the tool has received the call, its result is recorded; otherwise the call is made.
 */
async function finish(at: HostProcess, runId: string): Promise<void> {
  for await (const { event } of eventsFrom(at.url, runId)) {
    if (event.type !== 'interrupt.requested') continue;
    const wasSent = requestsOf(runId).some(({ to }) => to === 'send');
    const resumeValue = wasSent
      ? { action: 'edit-accept', editedArtifactData: 'sent' }
      : { action: 'accept' };
    const path = `/v1/runs/${runId}/interrupts/agent`;
    expect((await call(at.url, 'POST', path, { resumeValue })).status).toBe(200);
  }
}

/** The agent's events, without the parts in which a text arrives: their number depends on the time. */
function story(events: readonly RunEvent[]): readonly string[] {
  const parts = ['agent.reasoning.delta', 'output.chunk'];
  return events.map(({ type }) => type).filter((type) => type.startsWith('agent.') && !parts.includes(type));
}

async function check(at: HostProcess, runId: string, killedIn: number, expected: readonly RunEvent[]) {
  const events = await eventsOf(at, runId);
  const { seen, settled } = watchOf(runId);
  const where = `killed at event ${seen.length - 1} (${JSON.parse(seen.at(-1) ?? '{}').type})`;
  expect(
    events.map(({ sequence }) => sequence),
    where,
  ).toEqual(events.map((_, index) => index));
  expect(events.slice(0, seen.length), where).toEqual(seen.map((text) => JSON.parse(text)));
  expect(events.at(-1)?.type, where).toBe('run.completed');
  expect(story(events), where).toEqual(story(expected));
  const { variables } = await read<{ variables: object }>(at, `/v1/runs/${runId}`);
  expect(variables, where).toMatchObject({ result: 'All is sent.' });

  const requests = requestsOf(runId);
  // The decision of a person about a lost call is a step of its own, before the last model call.
  const isAsked = events.some(({ type }) => type === 'interrupt.requested');
  const keys = [2, 3, 4, 5, isAsked ? 7 : 6].map((step) => `${runId}/agent/1/1/${step}`);
  expect(new Set(requests.map(({ key }) => key)), where).toEqual(new Set(keys));
  expect(
    requests.filter(({ to }) => to === 'send'),
    where,
  ).toHaveLength(1);
  // What was recorded before the host was killed is not asked for again.
  const again = requests.filter(({ life: at }) => at > killedIn).map(({ key }) => key);
  expect(
    again.filter((key) => settled.has(key)),
    where,
  ).toEqual([]);
  const times = keys.map((key) => requests.filter((one) => one.key === key).length);
  expect(times.filter((count) => count > 1).length, where).toBeLessThanOrEqual(1);
  expect(Math.max(...times), where).toBeLessThanOrEqual(2);
}

it('calls nothing twice that was recorded once, whichever event its host is killed at', async () => {
  outside = await startOutside(() => life, watchOf);
  const env = environment(outside);
  host = await startProcess(data, workflows, env);
  const whole = await begin(host, Number.POSITIVE_INFINITY);
  const expected = await eventsOf(host, whole);
  expect(requestsOf(whole).map(({ to }) => to)).toEqual(['model', 'read', 'model', 'send', 'model']);

  const killed: { readonly runId: string; readonly life: number }[] = [];
  let before: readonly string[] = [];
  for (let next = 0; next < expected.length; next += AT_ONCE) {
    const current = host;
    const targets = expected.slice(next, next + AT_ONCE).map(({ sequence }) => sequence);
    const begun = Promise.all(targets.map((until) => begin(current, until)));
    await Promise.all(before.map((runId) => finish(current, runId)));
    before = await begun;
    await current.kill('SIGKILL');
    for (const runId of before) {
      killed.push({ runId, life });
      watchOf(runId).release();
    }
    life += 1;
    host = await startProcess(data, workflows, env);
  }
  const last = host;
  await Promise.all(before.map((runId) => finish(last, runId)));

  for (const { runId, life: killedIn } of killed) await check(last, runId, killedIn, expected);
  expect(await read(last, '/v1/audit/verify')).toMatchObject({ ok: true });
  expect(await last.kill('SIGTERM')).toBe(0);
  host = undefined;
  checkLogs(data);
}, 600_000);
