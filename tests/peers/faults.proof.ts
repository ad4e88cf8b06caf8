import { join } from 'node:path';
import { newSigningKey, publicKey } from '@baton/engine';
import { digest, HANDOFF_EXTENSION, type JsonObject } from '@baton/protocol';
import { storageAt } from '@baton/server/storage';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { emptyFolder } from '../empty-folder.ts';
import { eventually } from '../eventually.ts';
import type { Brought, Disturbance } from './link.ts';
import {
  A,
  B,
  begin,
  countOnB,
  eventsOf,
  type Handed,
  introduce,
  linkedHosts,
  onB,
  remoteIdOf,
  transitionsOf,
} from './two-hosts.ts';

const folder = emptyFolder();

/** The other host, or the way to it, fails. The log says how, and nothing is merged that should not be. */
const hosts: Awaited<ReturnType<typeof linkedHosts>> = await linkedHosts(join(folder, 'b'));
afterEach(() => {
  hosts.toA.disturb(undefined);
  hosts.toB.disturb(undefined);
});
afterAll(() => hosts.stop());

async function statusOf(runId: string): Promise<string> {
  return (await hosts.a.get(`/v1/runs/${runId}`)).body.status;
}

async function ended({ runId }: Handed, status: string): Promise<JsonObject> {
  await eventually(async () => expect(await statusOf(runId)).toBe(status));
  return (await hosts.a.get(`/v1/runs/${runId}`)).body;
}

const phasesOf = async (handed: Handed) => (await transitionsOf(hosts.a, handed)).map(({ phase }) => phase);

async function errorOf({ child }: Handed): Promise<string> {
  return (await hosts.a.get(`/v1/runs/${child}`)).body.error.code;
}

/** The run has failed, and no output of the other host is in it. */
async function isRefused(handed: Handed, code: string, phases: readonly string[]): Promise<void> {
  const { variables } = (await ended(handed, 'failed')) as { variables: JsonObject };
  expect(variables).not.toHaveProperty('report');
  expect(await errorOf(handed)).toBe(code);
  expect(await phasesOf(handed)).toEqual(phases);
  const changed = [
    ...(await eventsOf(hosts.a, handed.runId)),
    ...(await eventsOf(hosts.a, handed.child)),
  ].filter(({ type }) => type === 'variable.changed');
  expect(changed).toEqual([]);
}

const COMPLETED = ['dispatch.began', 'dispatch.succeeded', 'child.completed', 'output.harvested'];
const NOT_BEGUN = ['dispatch.began', 'dispatch.failed'];
const BEGUN_AND_FAILED = ['dispatch.began', 'dispatch.succeeded', 'child.failed'];

/** The work ends as if nothing had happened: one run on the other host, one result. */
async function isDoneOnce(handed: Handed, before: number): Promise<void> {
  expect(await ended(handed, 'completed')).toMatchObject({ variables: { report: 'Heard: owls' } });
  expect(await phasesOf(handed)).toEqual(COMPLETED);
  expect(await countOnB(hosts.b)).toBe(before + 1);
}

/** Disturbs the requests with this name, the first time or always. */
function disturbing(name: string, how: Disturbance, always = false): void {
  let isOver = false;
  hosts.toB.disturb(async (request, forward) => {
    if (request.name !== name || isOver) return forward();
    isOver = !always;
    return how(request, forward);
  });
}

const accept = (remoteId: string) =>
  onB(hosts.b, 'POST', `/v1/runs/${remoteId}/interrupts/gate`, { resumeValue: { action: 'accept' } });
const json = (value: unknown): Brought => ({
  status: 200,
  contentType: 'application/json',
  body: JSON.stringify(value),
});

describe('a peer that fails for a time', () => {
  it('is down: it is asked again until it is there', async () => {
    const before = await countOnB(hosts.b);
    let cut = 0;
    hosts.toB.disturb(async (_request, forward) => {
      cut += 1;
      return cut > 2 ? forward() : undefined;
    });
    await isDoneOnce(await begin(hosts.a, 'hand-shout'), before);
  });

  it('is busy, or has an internal error: it is asked again', async () => {
    const before = await countOnB(hosts.b);
    const tried = new Set<string>();
    hosts.toB.disturb(async (request, forward) => {
      if (tried.has(request.name)) return forward();
      tried.add(request.name);
      if (request.name === 'SendMessage') return { status: 503, contentType: 'text/plain', body: 'Later.' };
      const { id } = JSON.parse(request.body) as JsonObject;
      return json({ jsonrpc: '2.0', id, error: { code: -32603, message: 'Out of memory.' } });
    });
    await isDoneOnce(await begin(hosts.a, 'hand-shout'), before);
    expect([...tried]).toEqual(['SendMessage', 'GetTask']);
  });

  it('is slow: the work goes on when the answer comes', async () => {
    const before = await countOnB(hosts.b);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    disturbing('GetTask', async (_request, forward) => {
      await held;
      return forward();
    });
    const handed = await begin(hosts.a, 'hand-shout');
    await remoteIdOf(hosts.a, handed);
    expect(await statusOf(handed.runId)).toBe('running');
    release();
    await isDoneOnce(handed, before);
  });

  it('takes the work, and its answer is lost: the same message has the same run', async () => {
    const before = await countOnB(hosts.b);
    disturbing('SendMessage', async (_request, forward) => {
      await forward();
      return undefined;
    });
    await isDoneOnce(await begin(hosts.a, 'hand-shout'), before);
  });

  it('gets a message twice: the second is refused, and there is one run', async () => {
    const before = await countOnB(hosts.b);
    const again: Brought[] = [];
    disturbing('SendMessage', async (_request, forward) => {
      const first = await forward();
      again.push(await forward());
      return first;
    });
    await isDoneOnce(await begin(hosts.a, 'hand-shout'), before);
    expect(again.map(({ status }) => status)).toEqual([401]);
  });

  it('restarts while a person is asked there: the answer of that person counts', async () => {
    const handed = await begin(hosts.a, 'hand-ask');
    const remoteId = await remoteIdOf(hosts.a, handed);
    await hosts.b.stop();
    await hosts.startB();
    expect((await accept(remoteId)).status).toBe(200);
    expect(await ended(handed, 'completed')).toMatchObject({ variables: { report: 'Shipped.' } });
    expect(await phasesOf(handed)).toEqual(COMPLETED);
  });
});

describe('a peer that is not what it was', () => {
  it.each<[string, string, string | undefined]>([
    ['has another host id', 'host-c', undefined],
    ['signs with another key', B, publicKey(newSigningKey(), 'another').pem],
  ])('%s: nothing is sent to it', async (_what, hostId, auditKey) => {
    const { a, b, toB } = hosts;
    await removePeer('b');
    await introduce(a, b, { name: 'stranger', hostId, url: toB.url, ...(auditKey && { auditKey }) });
    const asked = toB.passed.length;
    await isRefused(await begin(a, 'hand-stranger'), 'peer_identity_mismatch', NOT_BEGUN);
    expect(toB.passed.slice(asked).map(({ name }) => name)).toEqual(['/.well-known/agent-card.json']);
    await removePeer('stranger');
    await introduce(a, b, { name: 'b', hostId: B, url: toB.url });
  });

  it.each([
    ['has lost its data: the run is lost', true, 'remote_run_lost'],
    [
      'has lost its data and its audit key: it is not the host that this host knows',
      false,
      'peer_unauthorized',
    ],
  ] as const)('%s', async (_what, keepsKey, code) => {
    const handed = await begin(hosts.a, 'hand-ask');
    await remoteIdOf(hosts.a, handed);
    const auditKeyFile = join(hosts.b.folder, 'audit.key');
    await hosts.b.stop();
    await hosts.startB({ dataFolder: join(folder, code), ...(keepsKey && { auditKeyFile }) });
    await introduce(hosts.b, hosts.a, { name: 'a', hostId: A, url: hosts.toA.url, publishes: ['ask'] });
    await isRefused(handed, code, BEGUN_AND_FAILED);
    expect(await countOnB(hosts.b)).toBe(0);
    await hosts.b.stop();
    await hosts.startB();
  });

  it('no longer knows this host: the work ends here', async () => {
    const handed = await begin(hosts.a, 'hand-ask');
    await remoteIdOf(hosts.a, handed);
    disturbing('GetTask', async () => ({ status: 401, contentType: 'text/plain', body: '' }), true);
    await isRefused(handed, 'peer_unauthorized', BEGUN_AND_FAILED);
  });
});

async function removePeer(name: string): Promise<void> {
  const store = await storageAt({ kind: 'sqlite', folder: hosts.a.folder }).openStore();
  await store.removePeer(name);
  await store.close();
}

/** Only the signature shows that these outputs are not those of the run. */
function forgedOutputs(body: string): string {
  const answer = JSON.parse(body);
  const [artifact] = answer.result.artifacts ?? [];
  const statement = artifact?.metadata?.[HANDOFF_EXTENSION];
  if (statement === undefined) return body;
  artifact.parts[0].data = { ...artifact.parts[0].data, text: 'Heard: hawks' };
  statement.checksum = digest(artifact.parts[0].data);
  return JSON.stringify(answer);
}

describe('an answer that is not true', () => {
  it.each<[string, (body: string) => string]>([
    ['outputs that were changed', (body) => body.replaceAll('Heard: owls', 'Heard: hawks')],
    ['a checksum that was changed', (body) => body.replace(/"checksum":"\w{4}/, '"checksum":"0000')],
    ['outputs and a checksum that fit each other, and are not signed', forgedOutputs],
    ['a result without its statement', (body) => body.replaceAll('"signature"', '"unsigned"')],
  ])('has %s: it is not merged', async (_what, change) => {
    let isChanged = false;
    disturbing(
      'GetTask',
      async (_request, forward) => {
        const brought = await forward();
        const body = change(brought.body);
        isChanged ||= body !== brought.body;
        return { ...brought, body };
      },
      true,
    );
    await isRefused(await begin(hosts.a, 'hand-shout'), 'remote_result_mismatch', BEGUN_AND_FAILED);
    expect(isChanged).toBe(true);
  });

  it('belongs to other work with the same key: the work is not begun', async () => {
    disturbing('SendMessage', async ({ body }, forward) => {
      expect((await forward({ body: body.replaceAll('owls', 'hawks') })).status).toBe(200);
      return undefined;
    });
    await isRefused(await begin(hosts.a, 'hand-shout'), 'peer_rejected', NOT_BEGUN);
  });

  it('rejects work that would go round in a circle', async () => {
    const before = await countOnB(hosts.b);
    disturbing('SendMessage', async ({ body }, forward) =>
      forward({ body: body.replace('"lineage":[', `"lineage":["@${B}/shout",`) }),
    );
    const handed = await begin(hosts.a, 'hand-shout');
    await isRefused(handed, 'peer_rejected', NOT_BEGUN);
    expect((await transitionsOf(hosts.a, handed)).at(-1)).toMatchObject({
      error: { message: expect.stringContaining('already running above this run') },
    });
    expect(await countOnB(hosts.b)).toBe(before);
  });

  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const task = (id: unknown, text: string) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;
  const holding = (data: string) =>
    `{"id":"ID","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"outputs","parts":[{"data":${data}}]}]}`;

  it.each<[string, (id: unknown, taskId: string) => Partial<Brought>]>([
    ['a page', () => ({ contentType: 'text/html', body: '<html>It works!</html>' })],
    ['a page that is not there', () => ({ status: 404, contentType: 'text/html', body: '<html>' })],
    ['nothing', () => ({ body: '' })],
    ['no content', () => ({ status: 204, body: '' })],
    ['null', () => ({ body: 'null' })],
    ['an empty object', () => ({ body: '{}' })],
    ['the answer to another question', () => ({ body: task('another', holding('{}')) })],
    ['another task', (id) => ({ body: task(id, holding('{}')) })],
    ['half an answer', (id) => ({ body: task(id, holding('{}')).slice(0, 80) })],
    [
      'outputs that are nested too deep',
      (id, taskId) => ({ body: task(id, holding(deep(65)).replace('ID', taskId)) }),
    ],
    [
      'outputs that are nested far too deep',
      (id, taskId) => ({ body: task(id, holding(deep(100_000)).replace('ID', taskId)) }),
    ],
    ['another address', () => ({ status: 302, body: '' })],
  ])('is nonsense (%s): the work ends here', async (_what, said) => {
    disturbing(
      'GetTask',
      async ({ body }) => {
        const { id, params } = JSON.parse(body) as { id: unknown; params: { id: string } };
        return { status: 200, contentType: 'application/json', body: '', ...said(id, params.id) };
      },
      true,
    );
    await isRefused(await begin(hosts.a, 'hand-shout'), 'peer_answer_invalid', BEGUN_AND_FAILED);
  });
});

/** The other host has reported the end of the run, and this host has taken the report. */
async function isPushed({ child }: Handed, times = 1): Promise<void> {
  const path = `/v1/a2a/pushed/${child}`;
  const isTaken = () => hosts.toA.passed.filter((one) => one.path === path && one.status === 204);
  await eventually(() => expect(isTaken()).toHaveLength(times));
}

describe('work that is no longer wanted', () => {
  async function isCancelledOnB(remoteId: string): Promise<void> {
    await eventually(async () => {
      expect((await onB(hosts.b, 'GET', `/v1/runs/${remoteId}`)).body.status).toBe('cancelled');
    });
  }

  it('is cancelled with its parent', async () => {
    const handed = await begin(hosts.a, 'hand-ask');
    const remoteId = await remoteIdOf(hosts.a, handed);
    await hosts.a.post(`/v1/runs/${handed.runId}/cancel`, {});
    await ended(handed, 'cancelled');
    await isCancelledOnB(remoteId);
  });

  it('is cancelled when its message was on the way', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let remoteId = '';
    disturbing('SendMessage', async (_request, forward) => {
      const brought = await forward();
      remoteId = JSON.parse(brought.body).result.task.id;
      await held;
      return brought;
    });
    const handed = await begin(hosts.a, 'hand-ask');
    await eventually(() => expect(remoteId).not.toBe(''));
    await hosts.a.post(`/v1/runs/${handed.runId}/cancel`, {});
    await ended(handed, 'cancelled');
    release();
    await isCancelledOnB(remoteId);
  });

  it('is answered late, after its time was over: nothing of it is used', async () => {
    disturbing('CancelTask', async () => undefined, true);
    const handed = await begin(hosts.a, 'hand-ask-briefly');
    const remoteId = await remoteIdOf(hosts.a, handed);
    await ended(handed, 'failed');
    const told = [await eventsOf(hosts.a, handed.runId), await eventsOf(hosts.a, handed.child)];
    await accept(remoteId);
    await isPushed(handed);
    expect([await eventsOf(hosts.a, handed.runId), await eventsOf(hosts.a, handed.child)]).toEqual(told);
    const { body } = await hosts.a.get(`/v1/runs/${handed.runId}`);
    expect(body.variables).not.toHaveProperty('report');
  });
});

describe('a report of the other host', () => {
  /** Waits until the next try is seconds away, so that only a report can bring an end before it. */
  async function nextTry({ child }: Handed): Promise<number> {
    return eventually(async () => {
      const { body } = await hosts.a.get(`/v1/runs/${child}`);
      const at = Date.parse(body.nodeStates.remote.retryAt);
      expect(at - Date.now()).toBeGreaterThan(3500);
      return at;
    });
  }

  it('makes this host ask at once, and does nothing when it is repeated, forged or unsigned', async () => {
    const handed = await begin(hosts.a, 'hand-ask');
    const other = await begin(hosts.a, 'hand-ask');
    const remoteId = await remoteIdOf(hosts.a, handed);
    await isPushed(handed);
    const next = await nextTry(handed);
    const asked = hosts.toB.passed.length;

    const path = `/v1/a2a/pushed/${handed.child}`;
    const { body, headers } = hosts.toA.passed.find((one) => one.path === path)!;
    const push = async (changed: { path?: string; body?: string; headers?: object } = {}) => {
      const sent = { headers: { ...headers, ...changed.headers }, raw: changed.body ?? body, key: null };
      return (await hosts.a.post(changed.path ?? path, undefined, sent)).status;
    };
    expect(await push()).toBe(204);
    expect(await push({ headers: { 'webhook-id': 'push_another' } })).toBe(404);
    expect(await push({ headers: { 'webhook-timestamp': '1' } })).toBe(404);
    expect(await push({ headers: { 'webhook-signature': `v1,${'A'.repeat(43)}=` } })).toBe(404);
    expect(await push({ headers: { 'webhook-signature': '' } })).toBe(404);
    expect(await push({ body: body.replace('INPUT_REQUIRED', 'COMPLETED') })).toBe(404);
    expect(await push({ path: `/v1/a2a/pushed/${other.child}` })).toBe(404);

    await accept(remoteId);
    await ended(handed, 'completed');
    const finished = (await eventsOf(hosts.a, handed.child)).find(({ type }) => type === 'run.completed');
    expect(Date.parse(finished!.timestamp)).toBeLessThan(next);
    const aboutIt = hosts.toB.passed.slice(asked).filter((one) => one.body.includes(remoteId));
    expect(aboutIt.map(({ name }) => name)).toEqual(['GetTask']);
    await hosts.a.post(`/v1/runs/${other.runId}/cancel`, {});
    await ended(other, 'cancelled');
  });
});
