import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSigningKey, signingKey } from '@baton/engine';
import { HANDOFF_EXTENSION, type HandoffMetadata } from '@baton/protocol';
import { openSqliteStore } from '@baton/store-sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { peerToken } from '../../packages/server/src/peers/peer-token.ts';
import { startTestHost, type TestHost } from '../http/host.ts';
import { connect, dataIn, ERAS, runIn } from './mcp-client.ts';

/** Work that a registered peer hands over with a tool call. */

const folder = mkdtempSync(join(tmpdir(), 'baton-mcp-'));
const acme = { hostId: 'host-of-acme', auditKey: signingKey(newSigningKey(), 'the test') };
const rival = { hostId: 'host-of-rival', auditKey: signingKey(newSigningKey(), 'the test') };
let host: TestHost;

beforeAll(async () => {
  const store = openSqliteStore(folder);
  for (const [name, { hostId, auditKey }] of Object.entries({ acme, rival })) {
    await store.putPeer({
      name,
      url: `https://${name}.example`,
      kind: 'baton',
      hostId,
      auditKey: auditKey.pem,
      // Both share a tenant, so that only their principals keep their runs apart.
      tenant: 'peers',
      publishes: name === 'acme' ? ['echo', 'slow'] : ['quick'],
      createdAt: 0,
    });
  }
  await store.close();
  const keys = [{ token: 'reader', tenant: 'peers', scopes: ['runs:read'] }];
  host = await startTestHost({ dataFolder: folder, hostId: 'here' }, keys);
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

function handoff(more: Partial<HandoffMetadata> = {}): { [HANDOFF_EXTENSION]: HandoffMetadata } {
  return {
    [HANDOFF_EXTENSION]: {
      worker: 'echo',
      parentRunId: 'run-of-acme',
      causationId: 'run-of-acme:7',
      causationHostId: acme.hostId,
      idempotencyKey: 'k',
      lineage: ['@host-of-acme/desk', '@here/review'],
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      ...more,
    },
  };
}

describe.each(ERAS)('a peer with the client of %s', (era) => {
  const client = async (peer = acme) =>
    (await connect(host.url, { era, key: () => peerToken(peer, 'here', Date.now()) })).client;

  it('is shown what is published to it', async () => {
    const { tools } = await (await client()).listTools();
    const workers = tools.map(({ name }) => name).filter((name) => !name.startsWith('baton_'));
    expect(workers).toEqual(['echo', 'slow']);
    await expect((await client(rival)).callTool({ name: 'echo' })).rejects.toThrow(/no tool/);
  });

  it('hands work over once, and the run records where it comes from', async () => {
    const caller = await client();
    const call = (key: string) =>
      caller.callTool({ name: 'echo', arguments: {}, _meta: handoff({ idempotencyKey: `${era} ${key}` }) });
    const first = await call('a');
    const { runId } = runIn(first);
    expect((await call('a'))._meta).toEqual(first._meta);
    expect((await call('b'))._meta).not.toEqual(first._meta);
    const { body } = await host.get(`/v1/runs/${runId}/events/poll`, { key: 'reader' });
    expect(body.events[0].payload).toMatchObject({
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      lineage: ['@host-of-acme/desk', 'review'],
      origin: {
        cause: 'mcp-tool-call',
        hostId: 'host-of-acme',
        runId: 'run-of-acme',
        causationId: 'run-of-acme:7',
        wellKnownUrl: 'https://acme.example/.well-known/openwop',
      },
    });
    const ancestry = await host.get(`/v1/runs/${runId}/ancestry`, { key: 'reader' });
    expect(ancestry.body.parent).toMatchObject({ hostId: 'host-of-acme', cause: 'mcp-tool-call' });
  });

  it('cannot speak for another host, go round in circles or read runs of others', async () => {
    const caller = await client();
    const errorOf = async (more: Partial<HandoffMetadata>) =>
      dataIn(await caller.callTool({ name: 'echo', _meta: handoff(more) })).error.code;
    expect(await errorOf({ causationHostId: rival.hostId })).toBe('forbidden');
    expect(await errorOf({ lineage: ['@here/echo'] })).toBe('cycle_detected');
    expect(await errorOf({ lineage: Array.from({ length: 64 }, (_, n) => `@x/w${n}`) })).toBe(
      'depth_limit_exceeded',
    );
    const { runId } = dataIn(await caller.callTool({ name: 'baton_start', arguments: { worker: 'slow' } }));
    const read = await (await client(rival)).callTool({ name: 'baton_get', arguments: { runId } });
    expect(dataIn(read).error.code).toBe('not_found');
    expect(dataIn(await caller.callTool({ name: 'baton_cancel', arguments: { runId } }))).toMatchObject({
      status: 'cancelled',
    });
  });
});
