import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEFAULT_LIMITS } from '@baton/engine';
import { HANDOFF_EXTENSION, type JsonObject } from '@baton/protocol';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { eventually } from '../eventually.ts';
import { startTestHost, type TestHost } from '../http/host.ts';
import { eventsOf, introduce } from '../peers/two-hosts.ts';
import { answered, attackedHost, HERE, type HostileHost, hostilePeer, working } from './hostile-host.ts';

const LONG = 120_000;

function handoff({ hostId }: Pick<HostileHost, 'hostId'>, more: JsonObject = {}): JsonObject {
  return {
    worker: 'echo',
    parentRunId: 'run-elsewhere',
    causationId: 'run-elsewhere:1',
    causationHostId: hostId,
    idempotencyKey: randomUUID(),
    lineage: [`@${hostId}/desk`],
    ...more,
  };
}

function asking(metadata: JsonObject, more: JsonObject = {}): JsonObject {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: {} }], metadata };
  return { message, configuration: { returnImmediately: true, ...more } };
}

const handing = (work: JsonObject, more: JsonObject = {}) => asking({ [HANDOFF_EXTENSION]: work }, more);

/** The error of a run that was handed to the peer. Nothing that the peer said may make its log long. */
async function failureOf(host: TestHost, name: string): Promise<JsonObject> {
  const { body: run } = await host.run(`peer:${name}/work`);
  expect([name, run.status]).toEqual([name, 'failed']);
  expect(JSON.stringify(await eventsOf(host, run.runId)).length).toBeLessThan(20_000);
  return run.error;
}

/** A server of the private network, and how often it was called. */
async function privateServer(): Promise<{ readonly url: string; readonly calls: () => number }> {
  let calls = 0;
  const server = createServer((_, response) => {
    calls += 1;
    response.end('{}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls: () => calls };
}

/** The card of a host whose id is the registered one. */
function deepCard(deep: string): string {
  const extension = `{"uri":"${HANDOFF_EXTENSION}","params":{"hostId":"host-deep-card","deep":${deep}}}`;
  return `{"capabilities":{"extensions":[${extension}]},"signatures":[{"protected":"e30","signature":"AAAA"}]}`;
}

describe('a hostile host', { timeout: LONG }, () => {
  it('1. lies about who it is: a stolen name, a used token, a token for another host', async () => {
    const host = await attackedHost({ publish: ['echo'] });
    const mallory = await hostilePeer(host, 'mallory');
    const victim = await hostilePeer(host, 'victim');
    const { token } = mallory;
    const used = token();
    const as = async (key: string) => (await host.get('/v1/runs/x/ancestry', { key })).status;
    expect(await as(used)).toBe(404);
    expect(await as(used)).toBe(401);
    expect(await as(token('host-else'))).toBe(401);
    const [head, claims, signature] = token().split('.') as [string, string, string];
    const stolen = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), iss: victim.hostId };
    const forged = Buffer.from(JSON.stringify(stolen)).toString('base64url');
    expect(await as(`${head}.${forged}.${signature}`)).toBe(401);
    expect((await mallory.rpc('SendMessage', handing(handoff(victim)))).body).toMatchObject({
      error: 'forbidden',
      message: expect.stringMatching(/^Only a registered peer/),
    });
    expect((await mallory.rpc('SendMessage', handing(handoff(mallory)))).body.result.task.id).toBeDefined();
  });

  it('2. forges a callback, repeats one, and uses that of one run for another', async () => {
    const host = await attackedHost();
    const mallory = await hostilePeer(host, 'mallory');
    const victim = await hostilePeer(host, 'victim');
    const began = async (peer: HostileHost, name: string) => {
      const { body } = await host.post('/v1/runs', { workflowId: `peer:${name}/work` });
      await eventually(() => expect(peer.heard).toContain('GetTask'));
      const { configuration } = peer.sent() as { configuration: { taskPushNotificationConfig: JsonObject } };
      const { url, token } = configuration.taskPushNotificationConfig as { url: string; token: string };
      return { runId: String(body.runId), path: new URL(url).pathname, signs: new Webhook(token) };
    };
    const own = await began(mallory, 'mallory');
    const others = await began(victim, 'victim');
    const report = async (path: string, id: string, signs: Webhook, at = new Date()) => {
      const raw = '{"kind":"statusUpdate"}';
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': signs.sign(id, at, raw),
      };
      return (await host.post(path, undefined, { raw, headers, key: null })).status;
    };
    expect(await report(others.path, 'stolen', own.signs)).toBe(404);
    expect(await report(own.path, 'forged', new Webhook(Buffer.from('guess').toString('base64')))).toBe(404);
    expect(await report(own.path, 'old', own.signs, new Date(Date.now() - 600_000))).toBe(404);
    expect(await report('/v1/a2a/pushed/no-such-run', 'stolen', own.signs)).toBe(404);

    const retryAt = async () =>
      Date.parse((await host.get(`/v1/runs/${own.runId}`)).body.nodeStates.remote.retryAt);
    expect(await report(own.path, 'first', own.signs)).toBe(204);
    // The next time at which the host asks by itself is seconds away, so only a report could move it.
    const next = await eventually(async () => {
      const at = await retryAt();
      expect(at - Date.now()).toBeGreaterThan(3500);
      return at;
    });
    for (let times = 0; times < 3; times += 1) expect(await report(own.path, 'first', own.signs)).toBe(204);
    expect(await retryAt()).toBe(next);
    const asked = mallory.heard.length;
    expect(await report(own.path, 'second', own.signs)).toBe(204);
    await eventually(() => expect(mallory.heard.length).toBeGreaterThan(asked));
    for (const { runId } of [own, others]) await host.post(`/v1/runs/${runId}/cancel`, {});
  });

  it('3. asks for what was not published to it', async () => {
    const host = await attackedHost();
    const mallory = await hostilePeer(host, 'mallory', { publishes: ['echo'] });
    await hostilePeer(host, 'other', { publishes: ['quick'] });
    for (const worker of ['quick', 'slow', 'no-such-workflow', 'peer:other/work', 'agent:any']) {
      const handed = await mallory.rpc('SendMessage', handing(handoff(mallory, { worker })));
      const asked = await mallory.rpc('SendMessage', asking({ skillId: worker }));
      for (const { body } of [handed, asked]) {
        expect(body.error.message).toBe(`"${worker}" is not published to this caller; these are: echo.`);
      }
    }
    expect((await host.post('/v1/runs', { workflowId: 'quick' }, { key: mallory.token() })).status).toBe(403);
    expect((await mallory.rpc('ListTasks', {})).body.result).toMatchObject({ totalSize: 0 });
  });

  it('4. reaches for the runs of other tenants', async () => {
    const host = await attackedHost({ publish: ['gate'] });
    const mallory = await hostilePeer(host, 'mallory');
    const other = await hostilePeer(host, 'other');
    const { body: ours } = await host.post('/v1/runs', { workflowId: 'gate' });
    const theirs = await other.rpc('SendMessage', handing(handoff(other, { worker: 'gate' })));
    const answer = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'accept' }] };
    for (const id of [ours.runId, theirs.body.result.task.id]) {
      const attempts: readonly (readonly [string, object])[] = [
        ['GetTask', { id }],
        ['CancelTask', { id }],
        ['SubscribeToTask', { id }],
        ['SendMessage', { message: { ...answer, taskId: id } }],
        ['CreateTaskPushNotificationConfig', { taskId: id, url: `${mallory.url}/push` }],
        ['ListTaskPushNotificationConfigs', { taskId: id }],
      ];
      for (const [method, params] of attempts) {
        const { body } = await mallory.rpc(method, params);
        expect([method, body.error?.code]).toEqual([method, -32001]);
      }
      const path = `/v1/runs/${id}/ancestry`;
      expect((await host.get(path, { key: mallory.token() })).status).toBe(404);
    }
    expect((await mallory.rpc('ListTasks', {})).body.result).toMatchObject({ totalSize: 0 });
    expect((await host.get(`/v1/runs/${ours.runId}`)).body.status).toBe('waiting-approval');
    const { body } = await other.rpc('GetTask', { id: theirs.body.result.task.id });
    expect(body.result.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it('5. names addresses of the private network: for pushes, in its card, in a redirect', async () => {
    const host = await attackedHost({ publish: ['gate'] });
    const target = await privateServer();
    const interfaces = (url: string) => [
      { url, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' },
    ];
    const mallory = await hostilePeer(host, 'mallory', {
      card: (card) => ({ ...card, supportedInterfaces: interfaces(`${target.url}/v1/a2a`) }),
    });
    const { port } = new URL(target.url);
    const urls = [
      target.url,
      `http://localhost:${port}/`,
      `http://[::1]:${port}/`,
      `http://2130706433:${port}/`,
      `https://127.0.0.1:${port}/`,
      'https://10.0.0.5/',
      'https://169.254.169.254/latest/meta-data/',
      'https://[fd00::1]/',
      'file:///etc/passwd',
    ];
    for (const url of urls) {
      const config = { taskPushNotificationConfig: { url } };
      const work = handoff(mallory, { worker: 'gate' });
      const { body } = await mallory.rpc('SendMessage', handing(work, config));
      expect([url, body.error?.code]).toEqual([url, -32602]);
    }
    expect(await failureOf(host, 'mallory')).toMatchObject({ code: 'peer_answer_invalid' });
    await hostilePeer(host, 'redirecting', {
      answer: () => ({ status: 307, headers: { location: `${target.url}/v1/a2a` }, body: '' }),
    });
    expect(await failureOf(host, 'redirecting')).toMatchObject({ code: 'peer_answer_invalid' });
    expect(target.calls()).toBe(0);
  });

  it('6. sends too much: in its card, its outputs, its ids and its errors', async () => {
    const host = await attackedHost();
    const huge = 'x'.repeat(17 * 1024 * 1024);
    const long = 'y'.repeat(1024 * 1024);
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const ended = (state: string, more: string) => (method: string, id: string) =>
      method === 'SendMessage'
        ? working(method, id)
        : answered(id, `{"id":"task-1","contextId":"c","status":{"state":"${state}"${more}}`);
    const outputs = (data: string) =>
      ended('TASK_STATE_COMPLETED', `},"artifacts":[{"artifactId":"outputs","parts":[{"data":${data}}]}]`);
    const hosts: Readonly<Record<string, Parameters<typeof hostilePeer>[2]>> = {
      'huge-card': { cardText: `{"name":"${huge}"}` },
      'deep-card': { cardText: deepCard(deep) },
      'huge-outputs': { answer: outputs(`{"text":"${huge}"}`) },
      'deep-outputs': { answer: outputs(deep) },
      'long-id': {
        answer: (_, id) =>
          answered(id, `{"task":{"id":"${long}","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}`),
      },
      'long-error': {
        answer: ended(
          'TASK_STATE_FAILED',
          `,"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"${long}"}]}}`,
        ),
      },
      'long-refusal': {
        answer: (_, id) => ({
          body: `{"jsonrpc":"2.0","id":${id},"error":{"code":-32602,"message":"${long}"}}`,
        }),
      },
    };
    const codes: Record<string, unknown> = {};
    for (const [name, behaviour] of Object.entries(hosts)) {
      await hostilePeer(host, name, behaviour);
      codes[name] = (await failureOf(host, name)).code;
    }
    expect(codes).toEqual({
      'huge-card': 'peer_answer_invalid',
      'deep-card': 'peer_answer_invalid',
      'huge-outputs': 'peer_answer_invalid',
      'deep-outputs': 'peer_answer_invalid',
      'long-id': 'peer_answer_invalid',
      'long-error': 'child_failed',
      'long-refusal': 'peer_rejected',
    });
  });

  it('7. floods this host with requests', async () => {
    const host = await attackedHost({ peerRateLimit: 2, publish: ['echo'] });
    const mallory = await hostilePeer(host, 'mallory');
    const other = await hostilePeer(host, 'other');
    const flood = await Promise.all(
      Array.from({ length: 24 }, async (_, count) => {
        if (count % 2 === 0) return (await mallory.rpc('GetTask', { id: 'x' })).status;
        return (await host.get('/v1/runs/x/ancestry', { key: mallory.token() })).status;
      }),
    );
    expect(flood.filter((status) => status === 429).length).toBeGreaterThan(0);
    expect((await other.rpc('GetTask', { id: 'x' })).status).toBe(200);
    expect((await host.get('/v1/runs')).status).toBe(200);
  });

  it('8. lets two hosts hand work to each other, until the depth limit that counts across hosts', async () => {
    const last = DEFAULT_LIMITS.maxDepth;
    const other = (step: number) => (step % 2 === 0 ? 'there' : 'here');
    const builtinWorkflows = Array.from({ length: last + 2 }, (_, step) =>
      workflow(`ping-${step}`, [
        node('hand', 'core.subWorkflow', { workflowId: `peer:${other(step)}/ping-${step + 1}` }),
      ]),
    );
    const publish = builtinWorkflows.map((_, step) => `ping-${step}`);
    const here = await attackedHost({ builtinWorkflows, publish });
    const there = await startTestHost({ hostId: 'host-there', builtinWorkflows, publish });
    onTestFinished(() => there.stop());
    const tenant = 'default';
    await introduce(here, there, { name: 'there', hostId: 'host-there', tenant });
    await introduce(there, here, { name: 'here', hostId: HERE, tenant });
    const mallory = await hostilePeer(here, 'mallory');
    // The runs on the hostile host count too, and leave four steps.
    const lineage = Array.from({ length: last - 4 }, (_, depth) => `@${mallory.hostId}/w${depth}`);
    const work = handoff(mallory, { worker: 'ping-0', lineage });
    const { body } = await mallory.rpc('SendMessage', handing(work));
    const { id } = body.result.task;
    const end = await eventually(async () => {
      const { body: read } = await mallory.rpc('GetTask', { id });
      expect(read.result.status.state).toBe('TASK_STATE_FAILED');
      return JSON.stringify(read.result);
    });
    expect(end).toMatch(/nested/);
    const { body: onThere } = await there.get('/v1/runs?limit=100');
    expect(onThere.runs.length).toBeLessThan(last);
    expect(onThere.runs.length).toBeGreaterThan(0);
  });
});
