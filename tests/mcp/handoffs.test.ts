import { HANDOFF_EXTENSION, type HandoffMetadata } from '@baton/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import {
  ACME,
  handoffOf,
  ORIGIN,
  READER,
  RIVAL,
  startHostWithPeers,
  TRACEPARENT,
  tokenOf,
} from '../http/host-with-peers.ts';
import { connect, dataIn, ERAS, runIn } from './mcp-client.ts';

/** Work that a registered peer hands over with a tool call. */
const host = await startHostWithPeers();
afterAll(() => host.stop());

const handoff = (more: Partial<HandoffMetadata> = {}) => ({ [HANDOFF_EXTENSION]: handoffOf('k', more) });

describe.each(ERAS)('a peer with the client of %s', (era) => {
  const client = async (peer = ACME) => (await connect(host.url, { era, key: () => tokenOf(peer) })).client;

  it('is shown what is published to it', async () => {
    const { tools } = await (await client()).listTools();
    const workers = tools.map(({ name }) => name).filter((name) => !name.startsWith('baton_'));
    expect(workers).toEqual(['echo', 'slow', 'gate']);
    await expect((await client(RIVAL)).callTool({ name: 'echo' })).rejects.toThrow(/no tool/);
  });

  it('hands work over once, and the run records where it comes from', async () => {
    const caller = await client();
    const call = (key: string) =>
      caller.callTool({ name: 'echo', arguments: {}, _meta: handoff({ idempotencyKey: `${era} ${key}` }) });
    const first = await call('a');
    const { runId } = runIn(first);
    expect((await call('a'))._meta).toEqual(first._meta);
    expect((await call('b'))._meta).not.toEqual(first._meta);
    const { body } = await host.get(`/v1/runs/${runId}/events/poll`, READER);
    expect(body.events[0].payload).toMatchObject({
      traceparent: TRACEPARENT,
      lineage: ['@host-of-acme/desk', 'review'],
      origin: { cause: 'mcp-tool-call', ...ORIGIN },
    });
    const ancestry = await host.get(`/v1/runs/${runId}/ancestry`, READER);
    expect(ancestry.body.parent).toMatchObject({ hostId: 'host-of-acme', cause: 'mcp-tool-call' });
  });

  it('cannot speak for another host, go round in circles or read runs of others', async () => {
    const caller = await client();
    const errorOf = async (more: Partial<HandoffMetadata>) =>
      dataIn(await caller.callTool({ name: 'echo', _meta: handoff(more) })).error.code;
    expect(await errorOf({ causationHostId: RIVAL.hostId })).toBe('forbidden');
    expect(await errorOf({ lineage: ['@here/echo'] })).toBe('cycle_detected');
    expect(await errorOf({ lineage: Array.from({ length: 64 }, (_, n) => `@x/w${n}`) })).toBe(
      'depth_limit_exceeded',
    );
    const { runId } = dataIn(await caller.callTool({ name: 'baton_start', arguments: { worker: 'slow' } }));
    const read = await (await client(RIVAL)).callTool({ name: 'baton_get', arguments: { runId } });
    expect(dataIn(read).error.code).toBe('not_found');
    expect(dataIn(await caller.callTool({ name: 'baton_cancel', arguments: { runId } }))).toMatchObject({
      status: 'cancelled',
    });
  });
});
