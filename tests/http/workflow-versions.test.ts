import { afterAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, sharedHost } from './host.ts';

/** The versions of workflows, and the dry run of a registration. */

const SECRET = 'a-secret-that-nobody-may-read';
const node = (id: string, more: object = {}) => ({ id, typeId: 'core.noop', ...more });
const definition = (id: string, more: object = {}) => ({ id, nodes: [node('n')], ...more });
const host = await sharedHost({}, [
  { token: 'other-key', tenant: 'other', scopes: ALL_SCOPES },
  { token: 'reading-key', tenant: 'default', scopes: ['manifest:read'] },
  { token: 'blind-key', tenant: 'default', scopes: ['runs:read'] },
]);
afterAll(() => host.stop());
for (const description of ['one', 'two', 'three'])
  await host.post('/v1/workflows', definition('grown', { description }));

describe('the versions of a workflow', () => {
  const versions = async (query = '', id = 'grown') =>
    (await host.get(`/v1/workflows/${id}/versions${query}`)).body.versions;
  const numbers = async (query: string) =>
    (await versions(query)).map((one: { version: number }) => one.version);

  it('are listed with their times and digests, newest first', async () => {
    const listed = await versions();
    expect(listed).toEqual(
      [3, 2, 1].map((version) => ({
        version,
        registeredAt: expect.stringMatching(/^\d{4}-.*Z$/),
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      })),
    );
    expect(new Set(listed.map((one: { digest: string }) => one.digest)).size).toBe(3);
    expect(await versions('', 'quick')).toHaveLength(1);
  });

  it('come in pages', async () => {
    expect(await numbers('?limit=2')).toEqual([3, 2]);
    expect(await numbers('?limit=2&before=2')).toEqual([1]);
    expect(await numbers('?before=1')).toEqual([]);
  });

  it('can be read one by one', async () => {
    const first = await host.get('/v1/workflows/grown?version=1');
    expect(first.body.description).toBe('one');
    expect((await host.get('/v1/workflows/grown')).body.description).toBe('three');
    const headers = { 'if-none-match': first.headers.get('etag')! };
    expect((await host.get('/v1/workflows/grown?version=1', { headers })).status).toBe(304);
    expect((await host.get('/v1/workflows/grown?version=2', { headers })).status).toBe(200);
  });

  it.each(['grown?version=0', 'grown?version=x', 'grown/versions?limit=201', 'grown/versions?before=-1'])(
    'refuse %s',
    async (path) => {
      expect((await host.get(`/v1/workflows/${path}`)).status).toBe(400);
    },
  );
});

describe('a dry run of a registration', () => {
  const check = (body: unknown, key?: string) =>
    host.post('/v1/workflows:validate', body, key === undefined ? {} : { key });

  it('accepts what a registration accepts, with its warnings, and stores nothing', async () => {
    const variables = [{ name: 'pin', type: 'string', sensitive: true, defaultValue: '1234' }];
    const sent = definition('unborn', { variables });
    const { status, body } = await check(sent);
    expect(status).toBe(200);
    expect(body).toEqual({ valid: true, problems: [], warnings: [expect.stringContaining('"pin"')] });
    expect((await host.get('/v1/workflows/unborn')).status).toBe(404);
    expect((await host.post('/v1/workflows', sent)).body.warnings).toEqual(body.warnings);
  });

  it('names all problems of nodes, edges and expressions at once', async () => {
    const { body } = await check({
      id: 'broken',
      nodes: [
        node('start'),
        node('odd', { typeId: 'core.unheardOf' }),
        node('wait', { typeId: 'core.delay', config: { delayMs: 'soon' } }),
        node('start'),
      ],
      edges: [{ id: 'e', sourceNodeId: 'start', targetNodeId: 'nowhere' }],
    });
    expect([body.valid, body.warnings]).toEqual([false, []]);
    expect(body.problems).toMatchObject([
      { path: 'nodes.1.typeId', nodeId: 'odd', message: expect.stringContaining('core.unheardOf') },
      { path: 'nodes.2.config.delayMs', nodeId: 'wait' },
      { path: 'nodes.3.id', nodeId: 'start' },
      { path: 'edges.0.targetNodeId', message: 'edges.0.targetNodeId names no node: "nowhere"' },
    ]);
  });

  it.each([
    ['nothing', {}, 'id'],
    ['nodes that are none', { id: 'w', nodes: 7 }, 'nodes'],
    ['a node without a type', { id: 'w', nodes: [{ id: 'lone' }] }, 'nodes.0.typeId'],
    ['an id that is kept for agents', definition('agent:a.b'), 'id'],
    [
      'a cycle',
      definition('w', {
        nodes: [node('a'), node('b')],
        edges: [
          { id: '1', sourceNodeId: 'a', targetNodeId: 'b' },
          { id: '2', sourceNodeId: 'b', targetNodeId: 'a' },
        ],
      }),
      'edges',
    ],
    ['a schema that is none', definition('w', { configurableSchema: { type: 'odd' } }), 'configurableSchema'],
  ])('has one problem with %s, which is that of a registration', async (_what, sent, path) => {
    const { status, body } = await check(sent);
    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: false, problems: [{ path }] });
    expect(body.problems).toHaveLength(1);
    expect((await host.post('/v1/workflows', sent)).status).toBe(400);
  });

  it('lists at most 100 problems', async () => {
    const nodes = Array.from({ length: 150 }, (_, at) => node(`n${at}`, { typeId: 'core.unheardOf' }));
    expect((await check({ id: 'many', nodes })).body.problems).toHaveLength(100);
  });

  it('finds the secrets of the own tenant only', async () => {
    await host.send('PUT', '/v1/secrets/token', { value: SECRET });
    const sent = definition('w', { description: SECRET });
    expect((await check(sent)).body).toMatchObject({
      valid: false,
      problems: [{ message: 'holds the value of a secret; write its id instead' }],
    });
    expect((await check(sent, 'other-key')).body).toMatchObject({ valid: true });
  });

  it('is for keys that may register workflows', async () => {
    expect((await check(definition('w'), 'reading-key')).status).toBe(403);
    expect((await check([])).status).toBe(400);
    expect((await check('text')).status).toBe(400);
  });
});
