import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { ROLE_NAMES, scopesOfRole } from '@baton/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { emptyFolder } from '../empty-folder.ts';
import { OPERATOR_KEY, startTestHost } from './host.ts';
import { longRun } from './long-run.ts';
import { observing } from './wire/observing.ts';

const folder = emptyFolder();
const SECRET = 'a secret that came with a bundle';

/** Bundles over HTTP: who may bring one, who vouches for it, and what many of them at once cost. */
const host = await startTestHost(
  { secretsFile: secretsFile() },
  ROLE_NAMES.map((role) => ({ token: role, tenant: 'default', scopes: [...scopesOfRole(role)] })),
);
afterAll(() => host.stop());

function secretsFile(): string {
  const file = join(folder, 'secrets.json');
  writeFileSync(file, JSON.stringify({ '*': { brought: SECRET } }), { mode: 0o600 });
  return file;
}

async function exported(workflowId: string, body: object = {}) {
  const { runId } = (await host.run(workflowId, body)).body;
  return (await host.get(`/v1/runs/${runId}/debug-bundle`)).body;
}

describe('an import over HTTP', () => {
  it('is for operators', async () => {
    const bundle = await exported('quick');
    for (const role of ROLE_NAMES) {
      const { status, body } = await host.post('/v1/runs:import', bundle, { key: role });
      if (role === 'operator') expect(status).toBe(201);
      else expect([status, body.details]).toEqual([403, { scope: 'runs:import' }]);
    }
  });

  it('is vouched for by the key of the host that wrote the bundle, wherever that is told', async () => {
    const bundle = await exported('loop');
    const { keyId } = (await host.get('/v1/audit/key')).body;
    const { runId, from, vouchedBy } = (await host.post('/v1/runs:import', bundle)).body;
    expect([from, vouchedBy]).toEqual([bundle.run.runId, keyId]);
    const imported = { from, by: 'operator', vouchedBy: keyId };
    expect((await host.get(`/v1/runs/${runId}`)).body).toMatchObject({ imported });
    expect((await host.get('/v1/runs?limit=2')).body.runs[1]).toMatchObject({ runId, imported });
    expect((await host.get(`/v1/audit/verify?runId=${runId}`)).body).toMatchObject({
      ok: true,
      imported,
      checked: { imported: 1, unvouched: 0 },
    });
    const { body: diff } = await host.get(`/v1/runs/${from}/diff?against=${runId}`);
    expect(diff).toMatchObject({ divergedAtSeq: null, stateDiff: { imported: { b: imported } } });
    expect(diff.stateDiff.imported.a).toBeUndefined();
  });

  it('is vouched for by another host whose key the operator has put on the list, and by no other', async () => {
    const bundle = await exported('quick');
    const { keyId, publicKey } = (await host.get('/v1/audit/key')).body;
    const file = join(host.folder, 'trusted.pem');
    writeFileSync(file, `a host that we know\n${publicKey}`);
    for (const [settings, expected] of [
      [{ trustedKeysFile: file }, keyId],
      [{}, undefined],
    ] as const) {
      const other = await startTestHost({ ...settings, builtinWorkflows: [] });
      const { status, body } = await other.post('/v1/runs:import', bundle);
      await other.stop();
      expect([status, body.verified, body.vouchedBy]).toEqual([201, true, expected]);
    }
  });

  it('says in a branch behind one of its approvals who overrode it', async () => {
    const gate = { id: 'gate', typeId: 'core.approvalGate', config: { title: 'May this go on?' } };
    const edges = [{ sourceNodeId: 'gate', targetNodeId: 'after' }];
    await host.post('/v1/workflows', {
      id: 'approved',
      nodes: [gate, { id: 'after', typeId: 'core.noop' }],
      edges,
    });
    const { run, after } = observing(() => host);
    const { runId } = await run('approved');
    expect((await after(runId, 'gate', { action: 'accept' })).snapshot.status).toBe('completed');
    const bundle = (await host.get(`/v1/runs/${runId}/debug-bundle`)).body;
    const arrival = await host.post('/v1/runs:import', bundle);
    expect(arrival.status, arrival.text).toBe(201);
    const imported = arrival.body.runId;
    const ofType = async (run: string, type: string) =>
      (
        await host.get(`/v1/runs/${run}/events`, { headers: { accept: 'application/json' } })
      ).body.events.findLast((event: { type: string }) => event.type === type);
    const fromSeq = (await ofType(imported, 'node.started')).sequence;
    const { body } = await host.post(`/v1/runs/${imported}:fork`, { mode: 'branch', fromSeq });
    const branched = await ofType(body.runId, 'baton.run.branched');
    expect(branched.payload.overridden).toMatchObject({ by: 'operator', runId: imported });
  });

  it('of a bundle with a secret stores and tells it nowhere', async () => {
    const bundle = await exported('echo', { inputs: { payload: { note: 'harmless' } } });
    for (const run of bundle.baton.runs) delete run.chain;
    const forged = JSON.parse(JSON.stringify(bundle).replaceAll('harmless', SECRET));
    const { status, body } = await host.post('/v1/runs:import', forged);
    expect(status).toBe(201);
    for (const path of ['', '/events/poll', '/state', '/debug-bundle']) {
      const { text } = await host.get(`/v1/runs/${body.runId}${path}`);
      expect(text).toContain('[REDACTED');
      expect(text).not.toContain(SECRET);
    }
  });

  it('that is no JSON, or has no end, is refused', async () => {
    for (const raw of ['', '{', '[]', '"text"', '{"a":']) {
      expect((await host.post('/v1/runs:import', undefined, { raw })).status).toBe(400);
    }
  });

  it('needs no more than one place, and gives it back', async () => {
    const bundle = await exported('quick');
    const answers = await Promise.all([1, 2, 3, 4].map(() => host.post('/v1/runs:import', bundle)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(201);
    for (const { status, headers } of answers.filter(({ status }) => status !== 201)) {
      expect([status, headers.get('retry-after')]).toEqual([429, '1']);
    }
    await expect.poll(async () => (await host.post('/v1/runs:import', bundle)).status).toBe(201);
  });
});

describe('bundles that nobody takes', () => {
  it('are so many at a time; further ones are told to come again, and other requests are answered', async () => {
    const { runId } = (await host.post('/v1/runs:import', longRun(await exported('quick'), 6_000_000))).body;
    const path = `/v1/runs/${runId}/debug-bundle`;
    const stalled = await Promise.all(Array.from({ length: 8 }, () => stalledRequest(path)));
    const diff = `/v1/runs/${runId}/diff?against=${runId}`;
    for (const heavy of [path, `/v1/runs/${runId}/state`, diff, '/v1/audit/verify']) {
      const refused = await host.get(heavy);
      expect([refused.status, refused.body.error]).toEqual([429, 'too_many_reads']);
      expect(refused.headers.get('retry-after')).toBe('1');
    }
    expect((await host.get(`/v1/runs/${runId}`)).status).toBe(200);
    for (const socket of stalled) socket.destroy();
    // The host learns of it when it learns of it.
    let status = 429;
    while (status === 429) status = (await host.get(`/v1/runs/${runId}/state`)).status;
    expect(status).toBe(200);
  });

  /** Reads the head of the answer, and then no more. */
  async function stalledRequest(path: string): Promise<Socket> {
    const { hostname, port } = new URL(host.url);
    const socket = connect(Number(port), hostname);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${OPERATOR_KEY}\r\n\r\n`);
    const [first] = await once(socket, 'data');
    expect(String(first)).toContain('HTTP/1.1 200');
    socket.pause();
    return socket;
  }
});
