import { afterAll, describe, expect, it } from 'vitest';
import { sharedHost } from './host.ts';

const host = await sharedHost();
afterAll(() => host.stop());

const definition = (id: string, more: object = {}) => ({
  id,
  nodes: [{ id: 'n', typeId: 'core.noop' }],
  ...more,
});

describe('registering a workflow', () => {
  it('counts versions, and knows one it has seen', async () => {
    const first = await host.post('/v1/workflows', definition('counted'));
    expect(first).toMatchObject({ status: 201, body: { workflowId: 'counted', version: 1, warnings: [] } });
    expect(first.headers.get('location')).toBe('/v1/workflows/counted');
    const same = await host.post('/v1/workflows', definition('counted'));
    expect(same).toMatchObject({ status: 200, body: { version: 1 } });
    const changed = await host.post('/v1/workflows', definition('counted', { description: 'changed' }));
    expect(changed).toMatchObject({ status: 201, body: { version: 2 } });
  });

  it('can be run at once', async () => {
    await host.post('/v1/workflows', definition('fresh'));
    expect((await host.run('fresh')).body.status).toBe('completed');
  });

  it.each([
    ['type', { type: 'no-such-type' }],
    ['an unknown keyword value', { properties: { a: { type: 7 } } }],
    ['a reference that leads nowhere', { $ref: '#/nowhere' }],
    ['a broken pattern', { properties: { a: { pattern: '(' } } }],
  ])('refuses options schemas that are none: %s', async (_what, configurableSchema) => {
    expect(await host.post('/v1/workflows', definition('broken', { configurableSchema }))).toMatchObject({
      status: 400,
      body: { error: 'validation_error', details: { field: 'configurableSchema' } },
    });
  });

  it('takes two versions with the same schema id', async () => {
    const schema = { $id: 'https://example.com/options', type: 'object' };
    for (const description of ['one', 'two']) {
      const sent = definition('labelled', { description, configurableSchema: schema });
      expect((await host.post('/v1/workflows', sent)).status).toBe(201);
      expect((await host.post('/v1/runs', { workflowId: 'labelled', configurable: {} })).status).toBe(201);
    }
  });

  it('checks options against the newest version', async () => {
    const closed = { type: 'object', additionalProperties: false };
    await host.post('/v1/workflows', definition('evolving'));
    const start = () => host.post('/v1/runs', { workflowId: 'evolving', configurable: { extra: 1 } });
    expect((await start()).status).toBe(201);
    await host.post('/v1/workflows', definition('evolving', { configurableSchema: closed }));
    expect((await start()).status).toBe(400);
  });
});

describe('reading workflows', () => {
  it('shows a definition with everything filled in', async () => {
    const { status, body, headers } = await host.get('/v1/workflows/quick');
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: 'quick', name: 'quick', version: '1.0', edges: [], variables: [] });
    expect(body.nodes).toMatchObject([{ id: 'only', typeId: 'core.noop', position: { x: 0, y: 0 } }]);
    const etag = headers.get('etag')!;
    expect((await host.get('/v1/workflows/quick', { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it('shows the schema for options', async () => {
    expect((await host.get('/v1/workflows/picky')).body.configurableSchema.additionalProperties).toBe(false);
  });

  it.each(['no-such-workflow', 'constructor', '%2e%2e'])('does not know %s', async (id) => {
    expect((await host.get(`/v1/workflows/${id}`)).status).toBe(404);
  });

  it('lists them', async () => {
    const { workflows } = (await host.get('/v1/workflows')).body;
    const quick = workflows.find((entry: { workflowId: string }) => entry.workflowId === 'quick');
    expect(quick).toMatchObject({ version: 1, shared: true });
    expect(quick.digest).toMatch(/^[0-9a-f]{64}$/);
  });
});
