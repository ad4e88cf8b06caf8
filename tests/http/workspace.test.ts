import { MAX_FILE_BYTES } from '@baton/protocol';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { checkOfficialDocument } from '../../packages/conformance/src/testkit/official-schemas.ts';
import { sharedHost } from './host.ts';

const KEYS = [
  { token: 'theirs', tenant: 'other', scopes: ['workspace:read', 'workspace:write'] },
  { token: 'reader', tenant: 'default', scopes: ['workspace:read'] },
  { token: 'nobody', tenant: 'default', scopes: ['runs:read'] },
  { token: 'runner', tenant: 'default', scopes: ['runs:create', 'runs:read'] },
];
const FILES = '/v1/host/workspace/files';
const OP = '/v1/host/sample/workspace/op';
const WORKFLOWS = [
  {
    id: 'write',
    nodes: [
      { id: 'write', typeId: 'vendor.baton.workspace.write', config: { path: 'by/a-run.md', content: 'x' } },
    ],
  },
];
const host = await sharedHost({ testSeams: true, workflows: WORKFLOWS }, KEYS);
afterAll(() => host.stop());

const at = (path: string) => `${FILES}/${encodeURIComponent(path)}`;
const put = (path: string, content: string, ifMatch?: string) =>
  host.send('PUT', at(path), { content }, ifMatch === undefined ? {} : { headers: { 'if-match': ifMatch } });
const remove = (path: string) => host.send('DELETE', at(path));
const list = async (key?: string) =>
  (await host.get(FILES, key === undefined ? {} : { key })).body.files as Record<string, unknown>[];

beforeEach(async () => {
  for (const { path } of await list()) await remove(String(path));
});

describe('a file', () => {
  it('is written, read, listed without its content, and deleted', async () => {
    const written = await put('notes/today.md', '# Today');
    expect(written.status).toBe(200);
    expect(written.body).toEqual({
      path: 'notes/today.md',
      content: '# Today',
      contentType: 'text/markdown',
      version: 1,
      etag: expect.any(String),
      updatedAt: expect.any(String),
    });
    checkOfficialDocument('workspace-file', written.body);
    expect((await host.get(at('notes/today.md'))).body).toEqual(written.body);
    const { content: _content, ...entry } = written.body;
    expect(await list()).toEqual([entry]);
    expect((await remove('notes/today.md')).status).toBe(204);
    expect((await host.get(at('notes/today.md'))).status).toBe(404);
    expect((await remove('notes/today.md')).status).toBe(404);
    expect(await list()).toEqual([]);
  });

  it('is the same whether its slashes are escaped or not', async () => {
    await put('a/b.md', 'x');
    expect((await host.get(`${FILES}/a/b.md`)).body.content).toBe('x');
    expect((await host.send('PUT', `${FILES}/a/b.md`, { content: 'y' })).body.version).toBe(2);
    expect((await host.get(`${FILES}/a%2Fb.md`)).body.content).toBe('y');
  });

  it('counts its versions, and begins anew when it is made again', async () => {
    expect((await put('a.md', 'one')).body.version).toBe(1);
    expect((await put('a.md', 'two')).body.version).toBe(2);
    await remove('a.md');
    expect((await put('a.md', 'three')).body.version).toBe(1);
  });

  it('keeps what it was before', async () => {
    await put('a.md', 'one');
    await put('other.md', 'x');
    await put('a.md', 'two');
    const version = async (number: number | string) => host.get(`${at('a.md')}?version=${number}`);
    expect((await version(1)).body).toMatchObject({ version: 1, content: 'one' });
    expect((await version(2)).body).toMatchObject({ version: 2, content: 'two' });
    expect((await version(3)).status).toBe(404);
    for (const bad of ['0', '-1', 'x', '1.5']) expect((await version(bad)).status).toBe(400);
    await remove('a.md');
    expect((await version(1)).status).toBe(404);
  });

  it('is not written over what somebody else wrote', async () => {
    const first = await put('a.md', 'one');
    const stale = await put('a.md', 'lost', '"definitely-stale"');
    expect(stale.status).toBe(409);
    expect(stale.body).toMatchObject({ error: 'workspace_conflict', details: { currentVersion: 1 } });
    const matching = await put('a.md', 'two', first.body.etag);
    expect([matching.status, matching.body.version]).toEqual([200, 2]);
    expect((await put('a.md', 'three', first.body.etag)).status).toBe(409);
    expect((await put('a.md', 'three', matching.headers.get('etag') ?? '')).body.version).toBe(3);
    expect((await put('never.md', 'x', first.body.etag)).body.details).toEqual({ currentVersion: 0 });
    expect((await host.get(at('a.md'))).body.content).toBe('three');
    expect(
      (await host.send('DELETE', at('a.md'), undefined, { headers: { 'if-match': first.body.etag } })).status,
    ).toBe(409);
  });

  it('has another etag when it is made again with the same words', async () => {
    const first = await put('a.md', 'one');
    await remove('a.md');
    expect((await put('a.md', 'one')).body.etag).not.toBe(first.body.etag);
    expect((await put('a.md', 'two', first.body.etag)).status).toBe(409);
  });

  it('loses nothing when many write at once', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, (_, number) => put('a.md', `by ${number}`)));
    const versions = answers.map(({ body }) => body.version).sort((one, other) => one - other);
    expect(versions).toEqual(answers.map((_, number) => number + 1));
    const others = await Promise.all(
      Array.from({ length: 4 }, () =>
        put('a.md', 'x', answers.find(({ body }) => body.version === 12)?.body.etag),
      ),
    );
    expect(others.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  it('may be as large as it says, and no larger', async () => {
    const { maxFileBytes } = (await host.get('/.well-known/openwop')).body.workspace;
    expect(maxFileBytes).toBe(MAX_FILE_BYTES);
    expect((await put('large.md', 'x'.repeat(maxFileBytes))).status).toBe(200);
    const tooLarge = await put('large.md', 'x'.repeat(maxFileBytes + 1));
    expect([tooLarge.status, tooLarge.body.error]).toEqual([413, 'workspace_too_large']);
    // Bytes count, not characters.
    expect((await put('large.md', 'ü'.repeat(maxFileBytes / 2 + 1))).body.error).toBe('workspace_too_large');
    expect((await host.get(at('large.md'))).body.version).toBe(1);
  });

  it.each(['../up.md', '/top.md', 'a/../b.md', '.hidden', 'a b.md', 'ü.md', 'x'.repeat(257), 'a\u0000b'])(
    'cannot be called %j',
    async (path) => {
      const answer = await put(path, 'x');
      expect([answer.status, answer.body.error]).toEqual([400, 'validation_error']);
      expect((await host.get(at(path))).status).toBe(400);
      expect(await list()).toEqual([]);
    },
  );

  it.each([
    [{}],
    [{ content: 1 }],
    [{ content: 'x', path: 'y' }],
    [{ content: 'x', contentType: '' }],
    ['x'],
  ])('is not made of %j', async (body) => {
    expect((await host.send('PUT', at('a.md'), body)).status).toBe(400);
  });

  it('is not sent again to whoever has it', async () => {
    const { headers } = await put('a.md', 'one');
    const etag = headers.get('etag') ?? '';
    const read = () => host.get(at('a.md'), { headers: { 'if-none-match': etag } });
    expect((await read()).status).toBe(304);
    await put('a.md', 'two');
    expect((await read()).body.content).toBe('two');
  });
});

describe('a workspace', () => {
  it('is of one tenant', async () => {
    await put('secret.md', 'ours');
    expect((await host.get(at('secret.md'), { key: 'theirs' })).status).toBe(404);
    expect(await list('theirs')).toEqual([]);
    const theirs = await host.send('PUT', at('secret.md'), { content: 'theirs' }, { key: 'theirs' });
    expect(theirs.body.version).toBe(1);
    expect((await host.send('DELETE', at('secret.md'), undefined, { key: 'theirs' })).status).toBe(204);
    expect((await host.get(at('secret.md'))).body.content).toBe('ours');
  });

  it('is written by a run only when the run may', async () => {
    const wait = { headers: { prefer: 'wait=20' } };
    const refused = await host.post('/v1/runs', { workflowId: 'write' }, { ...wait, key: 'runner' });
    expect(refused.body).toMatchObject({ status: 'failed', error: { code: 'forbidden' } });
    expect(await list()).toEqual([]);
    expect((await host.run('write')).body.status).toBe('completed');
    expect((await host.get(at('by/a-run.md'))).body).toMatchObject({ version: 1, content: 'x' });
  });
});

describe('workspace/op', () => {
  const op = (body: object) => host.post(OP, body);
  const owner = { tenant: 't1', workspace: 'w1', path: 'a/b.md' };

  it('SEAM-04 shows a file to its own tenant and workspace, and to nobody else', async () => {
    expect((await op({ ...owner, op: 'put', content: 'ours' })).status).toBe(200);
    for (const other of [
      { ...owner, workspace: 'w2' },
      { ...owner, tenant: 't2' },
      { ...owner, tenant: 't2', workspace: 'w2' },
    ]) {
      const got = await op({ ...other, op: 'get' });
      expect([403, 404]).toContain(got.status);
      expect(got.text).not.toContain('ours');
      expect((await op({ ...other, op: 'list' })).body.files).toEqual([]);
    }
    expect((await op({ ...owner, op: 'get' })).body.content).toBe('ours');
    expect((await op({ ...owner, op: 'list' })).body.files).toMatchObject([{ path: 'a/b.md' }]);
    expect((await op({ ...owner, op: 'delete' })).status).toBe(200);
    expect((await op({ ...owner, op: 'get' })).status).toBe(404);
  });

  it('reaches no real tenant', async () => {
    await put('real.md', 'x');
    const asked = { tenant: 'default', workspace: 'default', path: 'real.md' };
    expect((await op({ ...asked, op: 'get' })).status).toBe(404);
    expect((await op({ ...asked, op: 'delete' })).status).toBe(404);
  });

  it.each([
    [{ ...owner, op: 'move' }, 'op'],
    [{ op: 'get', path: 'a.md' }, 'tenant'],
    [{ ...owner, op: 'get', path: '../a.md' }, 'path'],
    [{ tenant: 't1', workspace: 'w1', op: 'get' }, 'path'],
    [{ tenant: 't1', workspace: 'w1', op: 'put', content: 'x' }, 'path'],
  ])('refuses %j', async (body, field) => {
    const answer = await op(body);
    expect(answer.status).toBe(400);
    expect(answer.body.details.field).toContain(field);
  });
});
