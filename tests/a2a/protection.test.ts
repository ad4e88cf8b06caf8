import { createPublicKey } from 'node:crypto';
import { type AgentCard, canonicalizeAgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ALL_SCOPES, sharedHost, startTestHost } from '../http/host.ts';
import { a2aClient, data, sendTo } from './a2a-client.ts';

/** What the A2A side shows to whom, and what it makes of requests that are wrong. */

const OTHER = 'key-of-another-tenant';
const READER = 'key-that-only-reads';

const host = await startTestHost({ publish: ['echo', 'slow', 'gate'], publicUrl: 'https://baton.example' }, [
  { token: OTHER, tenant: 'other', scopes: ALL_SCOPES },
  { token: READER, tenant: 'default', scopes: ['runs:read'] },
]);
afterAll(() => host.stop());

const rpc = (method: string, params: unknown, key?: string | null, version = '1.0') =>
  host.post(
    '/v1/a2a',
    { jsonrpc: '2.0', id: 1, method, params },
    { ...(key !== undefined && { key }), headers: { 'a2a-version': version } },
  );

async function taskOf(skillId: string): Promise<string> {
  const message = {
    messageId: `m-${Math.random()}`,
    role: 'ROLE_USER',
    parts: [{ data: {} }],
    metadata: { skillId },
  };
  const { body } = await rpc('SendMessage', { message, configuration: { returnImmediately: true } });
  return body.result.task.id;
}

describe('the card', () => {
  it('is signed with the audit key, at both addresses, and lists only what is published', async () => {
    const { body: card } = await host.get('/.well-known/agent-card.json', { key: null });
    expect((await host.get('/v1/a2a/agent.json', { key: null })).body).toEqual(card);
    expect(card.skills.map(({ id }: { id: string }) => id)).toEqual(['echo', 'slow', 'gate']);
    expect(card).toMatchObject({
      url: 'https://baton.example/v1/a2a',
      protocolVersion: '0.3.0',
      supportedInterfaces: [
        { url: 'https://baton.example/v1/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: 'https://baton.example/v1/a2a', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
      capabilities: {
        extensions: [{ uri: 'urn:baton:a2a:handoff:1', params: { hostId: expect.any(String) } }],
      },
    });
    const { body } = await host.get('/.well-known/openwop');
    const der = Buffer.from(body.auth.auditLogIntegrity.checkpointPublicKey, 'base64');
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const verify = verifyAgentCardSignature(async () => key);
    await verify(card);
    // The SDK prints each signature that does not fit.
    const printed = vi.spyOn(console, 'debug').mockReturnValue();
    onTestFinished(() => printed.mockRestore());
    await expect(verify({ ...card, name: 'Another' } as AgentCard)).rejects.toThrow();
    const client = await a2aClient(host.url);
    expect((await client.getAgentCard()).signatures).toHaveLength(2);
    expect(canonicalizeAgentCard(card)).not.toContain('preferredTransport');
  });

  it('is named by the discovery document', async () => {
    const { body } = await host.get('/.well-known/openwop');
    expect(body.a2a).toEqual({
      supported: true,
      agentCardUrl: 'https://baton.example/.well-known/agent-card.json',
      streaming: true,
      pushNotifications: true,
      durableTasks: true,
    });
    expect(body.supportedTransports).toContain('a2a');
  });
});

describe('a host that publishes nothing', () => {
  it('has no skills, says nothing about A2A and refuses messages', async () => {
    const silent = await sharedHost();
    expect((await silent.get('/.well-known/agent-card.json', { key: null })).body.skills).toEqual([]);
    const { body } = await silent.get('/.well-known/openwop');
    expect([body.a2a, body.supportedTransports]).toEqual([undefined, ['rest']]);
    await expect(sendTo(await a2aClient(silent.url), 'echo', [data({})])).rejects.toThrow(
      /Nothing is published to this caller/,
    );
    await silent.stop();
  });
});

describe('access', () => {
  it('needs a key', async () => {
    expect((await rpc('GetTask', { id: 'x' }, null)).status).toBe(401);
  });

  it('treats a task of another tenant as one that does not exist', async () => {
    const id = await taskOf('gate');
    const answer = { messageId: 'm', role: 'ROLE_USER', taskId: id, parts: [{ text: 'accept' }] };
    const attempts: readonly (readonly [string, object])[] = [
      ['GetTask', { id }],
      ['CancelTask', { id }],
      ['SubscribeToTask', { id }],
      ['SendMessage', { message: answer }],
      ['CreateTaskPushNotificationConfig', { taskId: id, url: 'https://example.com/' }],
      ['ListTaskPushNotificationConfigs', { taskId: id }],
      ['DeleteTaskPushNotificationConfig', { taskId: id, id: 'x' }],
    ];
    for (const [method, params] of attempts) {
      const { status, body } = await rpc(method, params, OTHER);
      expect([method, status, body.error?.code]).toEqual([method, 200, -32001]);
    }
    expect((await rpc('ListTasks', {}, OTHER)).body.result).toMatchObject({ tasks: [], totalSize: 0 });
    expect((await rpc('GetTask', { id })).body.result.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it('checks the scope of each operation', async () => {
    const id = await taskOf('gate');
    const message = {
      messageId: 'm1',
      role: 'ROLE_USER',
      parts: [{ data: {} }],
      metadata: { skillId: 'echo' },
    };
    const attempts: readonly (readonly [string, object])[] = [
      ['SendMessage', { message }],
      ['CancelTask', { id }],
      ['SendMessage', { message: { ...message, taskId: id } }],
    ];
    for (const [method, params] of attempts) {
      expect((await rpc(method, params, READER)).body).toMatchObject({ error: 'forbidden' });
    }
    expect((await rpc('GetTask', { id }, READER)).body.result.id).toBe(id);
  });
});

describe('nonsense', () => {
  it.each([
    ['a version that nobody speaks', 'GetTask', { id: 'x' }, '9.0', -32009],
    ['an unknown method', 'Dance', {}, '1.0', -32601],
    ['a method of the other version', 'message/send', {}, '1.0', -32601],
    ['an unknown method of 0.3', 'dance', {}, '0.3', -32601],
    ['no parameters', 'GetTask', null, '1.0', -32602],
    ['a list of parameters', 'GetTask', [1], '1.0', -32602],
    ['an id that is an object', 'GetTask', { id: {} }, '1.0', -32602],
    ['a message that is a number', 'SendMessage', { message: 5 }, '1.0', -32602],
    ['a message that is a number, in 0.3', 'message/send', { message: 5 }, '0.3', -32602],
    ['no message', 'SendMessage', {}, '1.0', -32602],
    ['parts that are null', 'SendMessage', { message: { messageId: 'm', parts: [null] } }, '1.0', -32602],
    ['no parts', 'SendMessage', { message: { messageId: 'm', parts: [] } }, '1.0', -32602],
    [
      'a text that is a number, in 0.3',
      'message/send',
      {
        message: {
          messageId: 'm',
          role: 'user',
          parts: [{ kind: 'text', text: 5 }],
          metadata: { skillId: 'echo' },
        },
      },
      '0.3',
      -32005,
    ],
    ['a page of -1 tasks', 'ListTasks', { pageSize: -1 }, '1.0', -32602],
    ['a page token that is none', 'ListTasks', { pageToken: 'x' }, '1.0', -32602],
    [
      'a push to a private address',
      'SendMessage',
      {
        message: { messageId: 'm', parts: [{ data: {} }], metadata: { skillId: 'echo' } },
        configuration: { taskPushNotificationConfig: { url: 'https://10.0.0.5/push' } },
      },
      '1.0',
      -32602,
    ],
  ] as const)('answers %s with an error', async (_name, method, params, version, code) => {
    const { status, body } = await rpc(method, params, undefined, version);
    expect([status, body.error?.code]).toEqual([200, code]);
    expect(JSON.stringify(body)).not.toMatch(/TypeError|undefined|node_modules| at /);
  });

  it('answers a body that is no request of JSON-RPC', async () => {
    for (const raw of [
      '{}',
      '{"jsonrpc":"1.0","method":"GetTask"}',
      '{"jsonrpc":"2.0","id":{},"method":"GetTask"}',
    ]) {
      const { status, body } = await host.post('/v1/a2a', undefined, { raw });
      expect([status, typeof body.error.code]).toEqual([200, 'number']);
    }
    expect((await host.post('/v1/a2a', undefined, { raw: '[]' })).status).toBe(400);
    expect((await host.post('/v1/a2a', undefined, { raw: '{' })).body).toMatchObject({
      error: 'invalid_json',
    });
  });
});
