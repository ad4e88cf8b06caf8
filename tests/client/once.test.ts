import { type Baton, connect, type Fetch } from '@baton/client';
import { afterAll, describe, expect, it } from 'vitest';
import { sharedHost } from '../http/host.ts';

/** Requests whose answers are lost. */
const host = await sharedHost();
afterAll(() => host.stop());

/** The host does its work, and its first `losses` answers to commands do not arrive. */
function forgetful(losses: number): { readonly baton: Baton; readonly sent: Request[] } {
  const sent: Request[] = [];
  let left = losses;
  const lossy: Fetch = async (url, init) => {
    sent.push(new Request(url, { ...init, body: null }));
    const response = await fetch(url, init);
    if (init.method === 'GET' || left === 0) return response;
    left -= 1;
    await response.text();
    throw new TypeError('fetch failed');
  };
  const patience = { firstDelayMs: 1, longestDelayMs: 2 };
  return { baton: connect({ url: host.url, key: host.key, fetch: lossy, patience }), sent };
}

const countOf = async (baton: Baton, tag: string): Promise<number> =>
  (await baton.runs.page({ tag })).runs.length;

describe('a command whose answer was lost', () => {
  it('is sent again with the same key, and starts one run', async () => {
    const { baton, sent } = forgetful(3);
    const run = await baton.runs.start('quick', {}, { tags: ['once'] });
    expect(sent).toHaveLength(4);
    const keys = new Set(sent.map(({ headers }) => headers.get('idempotency-key')));
    expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(await countOf(baton, 'once')).toBe(1);
    expect((await baton.runs.page({ tag: 'once' })).runs[0]?.runId).toBe(run.id);
  });

  it('has another key than the next command', async () => {
    const { baton } = forgetful(0);
    await baton.runs.start('quick', {}, { tags: ['twice'] });
    await baton.runs.start('quick', {}, { tags: ['twice'] });
    expect(await countOf(baton, 'twice')).toBe(2);
  });

  it('is carried out once for all calls with the key of the caller', async () => {
    const { baton } = forgetful(1);
    const options = { tags: ['mine'], idempotencyKey: 'order-7' };
    const first = await baton.runs.start('quick', {}, options);
    expect((await baton.runs.start('quick', {}, options)).id).toBe(first.id);
    expect(await countOf(baton, 'mine')).toBe(1);
  });

  it('is given up after the last try', async () => {
    const { baton, sent } = forgetful(9);
    await expect(baton.runs.start('quick', {}, { tags: ['lost'] })).rejects.toMatchObject({
      code: 'host_unreachable',
      retryable: true,
    });
    expect(sent).toHaveLength(4);
    expect(await countOf(baton, 'lost')).toBe(1);
  });

  it('is not repeated when each request makes something', async () => {
    const { baton, sent } = forgetful(1);
    await expect(baton.workspace.write('notes.md', 'once')).rejects.toMatchObject({
      code: 'host_unreachable',
    });
    expect(sent).toHaveLength(1);
    expect(await baton.workspace.read('notes.md')).toMatchObject({ version: 1, content: 'once' });
  });
});
