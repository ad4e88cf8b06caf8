import { existsSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, sharedHost } from './host.ts';

const host = await sharedHost({}, [
  { token: 'stranger', tenant: 'other', scopes: [...ALL_SCOPES, 'audit:read'] },
  { token: 'reader', tenant: 'default', scopes: ALL_SCOPES },
]);
afterAll(() => host.stop());

async function verifyAll(key?: string) {
  const findings = [];
  const pages = [];
  let cursor = '';
  do {
    const path = `/v1/audit/verify?limit=2${cursor && `&cursor=${cursor}`}`;
    const { status, body } = await host.get(path, key === undefined ? {} : { key });
    expect(status).toBe(200);
    findings.push(...body.findings);
    pages.push(body);
    cursor = body.nextCursor;
  } while (cursor !== undefined);
  return { findings, pages, runs: pages.reduce((sum, page) => sum + page.checked.runs, 0) };
}

function tamper(sql: string, ...values: readonly unknown[]): void {
  const database = new Database(`${host.folder}/baton.db`);
  expect(database.prepare(sql).run(...values).changes).toBeGreaterThan(0);
  database.close();
}

describe('the audit of a tenant', () => {
  it('goes over everything in pages, and finds what was changed', async () => {
    const ids = [];
    for (let count = 0; count < 5; count += 1) ids.push((await host.run('quick')).body.runId);
    const clean = await verifyAll();
    expect(clean.findings).toEqual([]);
    expect(clean.runs).toBeGreaterThanOrEqual(5);
    expect(clean.pages.length).toBeGreaterThan(2);
    expect((await verifyAll('stranger')).runs).toBe(0);

    const change = `UPDATE events SET data = replace(data, ?, ?)
      WHERE run_no = (SELECT run_no FROM runs WHERE run_id = ?) AND data LIKE '%run.started%'`;
    tamper(change, 'quick', 'quack', ids[2]);
    expect((await verifyAll()).findings).toMatchObject([{ what: 'event-changed', runId: ids[2], from: 0 }]);
    const one = (await host.get(`/v1/audit/verify?runId=${ids[2]}`)).body;
    expect(one).toMatchObject({ ok: false, findings: [{ what: 'event-changed', runId: ids[2] }] });
    expect((await host.get(`/v1/audit/verify?runId=${ids[1]}`)).body.ok).toBe(true);
    expect((await verifyAll('stranger')).findings).toEqual([]);
    tamper(change, 'quack', 'quick', ids[2]);
    expect((await verifyAll()).findings).toEqual([]);
  });

  it('shows the key that proves it, and keeps the other half private', async () => {
    const { body } = await host.get('/v1/audit/key');
    expect(body).toMatchObject({
      algorithm: 'Ed25519',
      publicKey: expect.stringContaining('BEGIN PUBLIC KEY'),
    });
    expect((await host.get('/v1/audit/verify')).body.keyId).toBe(body.keyId);
    const file = `${host.folder}/audit.key`;
    expect(existsSync(file) && statSync(file).mode & 0o777).toBe(0o600);
  });
});
