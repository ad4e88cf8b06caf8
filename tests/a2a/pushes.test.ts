import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@a2a-js/sdk/client';
import { newSigningKey, signingKey } from '@baton/engine';
import { openSqliteStore } from '@baton/store-sqlite';
import { Webhook } from 'standardwebhooks';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { peerToken } from '../../packages/server/src/peers/peer-token.ts';
import { emptyFolder } from '../empty-folder.ts';
import { startTestHost } from '../http/host.ts';
import { a2aClient, data, sendTo, WIRE_VERSIONS } from './a2a-client.ts';

/** States of tasks that are sent to their callers. */

const TOKEN = Buffer.from('a token of the caller').toString('base64');

interface PushedTask {
  readonly id: string;
  readonly status: { readonly state: string };
  readonly artifacts?: readonly unknown[];
}

interface Pushed {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** A push of 1.0 has the task as a member, a push of 0.3 is the task. */
  readonly body: PushedTask & { readonly task: PushedTask };
}

/** A receiver that answers with these statuses, one after the other, and then with 204. */
async function receiver(statuses: readonly number[] = []) {
  const left = [...statuses];
  const pushed: Pushed[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    pushed.push({ headers: request.headers, text, body: JSON.parse(text) });
    response.writeHead(left.shift() ?? 204).end();
    for (const wake of waiting.splice(0)) wake();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pushed,
    async until(count: number): Promise<readonly Pushed[]> {
      while (pushed.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
      return pushed;
    },
  };
}
const host = await startTestHost({ publish: ['quick', 'gate', 'slow'], webhookPrivate: true });
afterAll(() => host.stop());

const accept = (id: string) =>
  host.post(`/v1/runs/${id}/interrupts/gate`, { resumeValue: { action: 'accept' } });

const configs = async (caller: Client, taskId: string) =>
  (await caller.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' })).configs;

describe.each(WIRE_VERSIONS)('with A2A %s', (version) => {
  it('sends the question and the end of a task, signed, and then forgets the configuration', async () => {
    const caller = await a2aClient(host.url, { version });
    const to = await receiver();
    const push = { url: `${to.url}/push`, token: TOKEN };
    const task = await sendTo(caller, 'gate', [data({})], { push, returnImmediately: true });
    const [asked] = await to.until(1);
    await accept(task.id);
    const [, ended] = await to.until(2);
    const taskIn = (pushed: Pushed | undefined) => (version === '1.0' ? pushed?.body.task : pushed?.body);
    expect([taskIn(asked)?.id, taskIn(ended)?.id]).toEqual([task.id, task.id]);
    const states =
      version === '1.0'
        ? ['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_COMPLETED']
        : ['input-required', 'completed'];
    expect([taskIn(asked)?.status.state, taskIn(ended)?.status.state]).toEqual(states);
    expect(taskIn(ended)?.artifacts).toHaveLength(1);
    for (const one of [asked, ended]) {
      expect(one?.headers['x-a2a-notification-token']).toBe(TOKEN);
      expect(() =>
        new Webhook(TOKEN).verify(one?.text ?? '', one?.headers as Record<string, string>),
      ).not.toThrow();
    }
    expect(asked?.headers['webhook-id']).not.toBe(ended?.headers['webhook-id']);
    const { traceId } = (await host.get(`/v1/runs/${task.id}`)).body;
    expect([asked, ended].map((one) => String(one?.headers.traceparent).slice(3, 35))).toEqual([
      traceId,
      traceId,
    ]);
    expect(asked?.headers['content-type']).toContain('json');
    await expect.poll(() => configs(caller, task.id)).toEqual([]);
  });

  it('creates, reads, lists and deletes configurations, and shows no credentials', async () => {
    const caller = await a2aClient(host.url, { version });
    const task = await sendTo(caller, 'slow', [data({})], { returnImmediately: true });
    const authentication = { scheme: 'Bearer', credentials: 'a-credential' };
    const config = {
      tenant: '',
      id: 'mine',
      taskId: task.id,
      url: 'http://127.0.0.1:9/x',
      token: TOKEN,
      authentication,
    };
    const shown = { id: 'mine', taskId: task.id, url: 'http://127.0.0.1:9/x' };
    for (const token of ['t', '!!!!', Buffer.alloc(15).toString('base64')]) {
      await expect(caller.createTaskPushNotificationConfig({ ...config, token })).rejects.toThrow(
        /at least 16 bytes/,
      );
    }
    expect(await caller.createTaskPushNotificationConfig(config)).toMatchObject(shown);
    const read = await caller.getTaskPushNotificationConfig({ tenant: '', taskId: task.id, id: 'mine' });
    expect(read).toMatchObject({ ...shown, token: '' });
    expect(JSON.stringify([read, await configs(caller, task.id)])).not.toMatch(
      /a-credential|IG9mIHRoZSBjYWxsZXI/,
    );
    expect(await configs(caller, task.id)).toHaveLength(1);
    await caller.deleteTaskPushNotificationConfig({ tenant: '', taskId: task.id, id: 'mine' });
    expect(await configs(caller, task.id)).toEqual([]);
    await caller.cancelTask({ tenant: '', id: task.id, metadata: undefined });
  });
});

it('sends the headers that the caller has asked for', async () => {
  const caller = await a2aClient(host.url);
  const to = await receiver();
  const task = await sendTo(caller, 'gate', [data({})], { returnImmediately: true });
  const authentication = { scheme: 'Bearer', credentials: 'a-credential' };
  const config = { tenant: '', id: '', taskId: task.id, url: to.url, token: '', authentication };
  await caller.createTaskPushNotificationConfig(config);
  const [asked] = await to.until(1);
  expect(asked?.headers).toMatchObject({
    authorization: 'Bearer a-credential',
    'content-type': 'application/a2a+json',
  });
  expect(asked?.headers['webhook-signature']).toBeUndefined();
  await accept(task.id);
  await to.until(2);
});

it('goes on with its pushes after a restart', async () => {
  const dataFolder = emptyFolder();
  const settings = { dataFolder, publish: ['gate'], webhookPrivate: true };
  const to = await receiver([503]);
  const first = await startTestHost(settings);
  const caller = await a2aClient(first.url);
  const push = { url: to.url, token: TOKEN };
  const task = await sendTo(caller, 'gate', [data({})], { push, returnImmediately: true });
  await to.until(1);
  await expect.poll(async () => (await configs(caller, task.id)).length).toBe(1);
  await first.post(`/v1/runs/${task.id}/interrupts/gate`, { resumeValue: { action: 'accept' } });
  await first.stop();
  // The pause after the failure has passed.
  const store = openSqliteStore(dataFolder);
  await store.settleTaskPush({ tenant: 'default', runId: task.id, pushId: task.id }, { tries: 1, nextAt: 1 });
  await store.close();
  const second = await startTestHost(settings);
  const [, ended] = await to.until(2);
  expect(ended?.body.task.status.state).toBe('TASK_STATE_COMPLETED');
  await second.stop();
});

it('calls a private address only for the peer that the operator has registered there', async () => {
  const to = await receiver();
  const dataFolder = emptyFolder();
  const acme = { hostId: 'host-of-acme', auditKey: signingKey(newSigningKey(), 'the test') };
  const store = openSqliteStore(dataFolder);
  await store.putPeer({
    name: 'acme',
    url: to.url,
    kind: 'baton',
    hostId: acme.hostId,
    auditKey: acme.auditKey.pem,
    tenant: 'peer-acme',
    publishes: ['quick'],
    createdAt: 0,
  });
  await store.close();
  const guarded = await startTestHost({ dataFolder, hostId: 'here', publish: ['quick'] });
  const stranger = await a2aClient(guarded.url);
  const push = { url: `${to.url}/push`, token: TOKEN };
  await expect(sendTo(stranger, 'quick', [data({})], { push })).rejects.toThrow(/address/);
  const peer = await a2aClient(guarded.url, { key: () => peerToken(acme, 'here', Date.now()) });
  const other = { ...push, url: 'http://127.0.0.1:9/push' };
  await expect(sendTo(peer, 'quick', [data({})], { push: other })).rejects.toThrow(/address/);
  const task = await sendTo(peer, 'quick', [data({})], { push });
  expect((await to.until(1))[0]?.body.task.id).toBe(task.id);
  await guarded.stop();
});
