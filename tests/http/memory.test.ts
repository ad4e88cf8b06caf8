import { afterAll, describe, expect, it } from 'vitest';
import { sharedHost } from './host.ts';

/** The memory that runs share, as callers read it. */

const remember = (id: string, content: object) => ({
  id,
  variables: [{ name: 'card', type: 'string', sensitive: true }],
  nodes: [{ id: 'keep', typeId: 'vendor.baton.memory.write', ...content }],
});
const WORKFLOWS = [
  remember('mood', { config: { key: 'mood', content: 'calm sea', tags: ['weather'] } }),
  remember('wind', { config: { key: 'wind', content: 'north' } }),
  remember('pay', {
    config: { key: 'card' },
    inputs: { content: { type: 'variable', variableName: 'card' } },
  }),
];
const host = await sharedHost({ workflows: WORKFLOWS }, [
  { token: 'theirs', tenant: 'other', scopes: ['runs:read'] },
]);
afterAll(() => host.stop());

const runIn = async (workflowId: string, scopeId: string, body: object = {}) => {
  const { body: run } = await host.run(workflowId, { scopeId, ...body });
  expect(run.status).toBe('completed');
  return run.runId as string;
};

describe('the memory of a scopeId', () => {
  it('is read with its authors, newest first', async () => {
    const first = await runIn('mood', 'team/a b');
    const second = await runIn('wind', 'team/a b');
    expect((await host.get(`/v1/memory/${encodeURIComponent('team/a b')}`)).body).toEqual({
      scopeId: 'team/a b',
      version: 2,
      oldestVersion: 0,
      entries: [
        expect.objectContaining({ id: 'wind', content: 'north', by: { runId: second, nodeId: 'keep' } }),
        expect.objectContaining({ id: 'mood', content: 'calm sea', by: { runId: first, nodeId: 'keep' } }),
      ],
    });
  });

  it('is refused for a name that some stores cannot keep apart from another one', async () => {
    const { status, body } = await host.post('/v1/runs', { workflowId: 'mood', scopeId: 'a\u0000b' });
    expect([status, body.error]).toEqual([400, 'validation_error']);
  });

  it('is searched by tag and by words', async () => {
    await runIn('mood', 'searched');
    await runIn('wind', 'searched');
    const found = async (query: string) =>
      (await host.get(`/v1/memory/searched?${query}`)).body.entries.map(({ id }: { id: string }) => id);
    expect(await found('tag=weather')).toEqual(['mood']);
    expect(await found('text=north')).toEqual(['wind']);
    expect(await found('limit=1')).toEqual(['wind']);
  });

  it('hides sensitive values', async () => {
    await runIn('pay', 'paid', { inputs: { card: 'card-4111' } });
    const { text, body } = await host.get('/v1/memory/paid');
    expect(body.entries).toHaveLength(1);
    expect(text).not.toContain('4111');
    expect(body.entries[0].content).toBe('[REDACTED]');
  });

  it('is that of the own tenant only', async () => {
    await runIn('mood', 'ours');
    expect((await host.get('/v1/memory/ours', { key: 'theirs' })).status).toBe(404);
    expect((await host.get('/v1/memory', { key: 'theirs' })).body).toEqual({ scopes: [] });
  });

  it('that does not exist is refused', async () => {
    expect((await host.get('/v1/memory/nobody-wrote-here')).body).toMatchObject({ error: 'not_found' });
  });
});

it('the memory scopes of a tenant are listed by name, page by page', async () => {
  for (const scopeId of ['page-b', 'page-a', 'page-c']) await runIn('mood', scopeId);
  const names: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await host.get(`/v1/memory?limit=2${cursor}`);
    names.push(...body.scopes.map(({ scopeId }: { scopeId: string }) => scopeId));
    if (body.nextCursor === undefined) break;
    cursor = `&cursor=${body.nextCursor}`;
  }
  expect(names).toEqual([...names].sort());
  expect(names.filter((name) => name.startsWith('page-'))).toEqual(['page-a', 'page-b', 'page-c']);
  expect((await host.get('/v1/memory?cursor=!')).status).toBe(400);
});
