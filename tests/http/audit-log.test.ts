import { createPublicKey, verify } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { forge } from '../audit/forge.ts';
import { emptyFolder } from '../empty-folder.ts';
import { ALL_SCOPES, startTestHost } from './host.ts';

const KEYS = [
  { token: 'stranger', tenant: 'other', scopes: [...ALL_SCOPES, 'audit:read'] },
  { token: 'reader', tenant: 'default', scopes: ALL_SCOPES },
];
const WHOLE = '/v1/audit/verify?fromSeq=0&toSeq=1000000';

const folder = emptyFolder();
const runs: string[] = [];

/** A host signs a checkpoint when it stops, so each start here makes one more entry of the log. */
for (let start = 0; start < 3; start += 1) {
  const before = await startTestHost({ dataFolder: folder }, start === 0 ? KEYS : []);
  runs.push((await before.run('quick')).body.runId);
  await before.stop();
}
const host = await startTestHost({ dataFolder: folder });
afterAll(() => host.stop());

describe('the audit log on the wire', () => {
  it('has exactly the fields of the protocol', async () => {
    const { status, body } = await host.get(WHOLE);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual([
      'anomalies',
      'chainValid',
      'checkpoints',
      'checkpointsValid',
      'fromSeq',
      'toSeq',
    ]);
    expect(body).toMatchObject({ fromSeq: 0, toSeq: 1_000_000, chainValid: true, checkpointsValid: true });
    expect(body.anomalies).toEqual([]);
    expect(body.checkpoints.length).toBeGreaterThanOrEqual(3);
    for (const [index, checkpoint] of body.checkpoints.entries()) {
      expect(checkpoint).toEqual({
        checkpoint: `${index + 1}`,
        atSequence: index + 1,
        merkleRoot: expect.stringMatching(/^[0-9a-f]{64}$/),
        signature: expect.stringMatching(/^[A-Za-z0-9+/]{86}==$/),
      });
    }
  });

  it('verifies with the key that discovery names, at the intervals that it names', async () => {
    const { auth } = (await host.get('/.well-known/openwop', { key: null })).body;
    expect(auth.profiles).toEqual(['openwop-audit-log-integrity']);
    expect(auth.auditLogIntegrity).toEqual({
      hashChain: true,
      checkpointSignatureAlgorithm: 'ed25519',
      checkpointPublicKey: expect.stringMatching(/^MCowBQYDK2VwAyEA/),
      checkpointIntervalEntries: 1,
      checkpointIntervalSeconds: 1,
    });
    const der = Buffer.from(auth.auditLogIntegrity.checkpointPublicKey, 'base64');
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const pem = (await host.get('/v1/audit/key')).body.publicKey;
    expect(key.export({ type: 'spki', format: 'pem' })).toBe(pem);
    const { checkpoints } = (await host.get(WHOLE)).body;
    let last = 0;
    for (const { atSequence, merkleRoot, signature } of checkpoints) {
      const signed = verify(null, Buffer.from(merkleRoot, 'hex'), key, Buffer.from(signature, 'base64'));
      expect([atSequence, signed]).toEqual([last + auth.auditLogIntegrity.checkpointIntervalEntries, true]);
      last = atSequence;
    }
  });

  it('gives a part of the log', async () => {
    const { body } = await host.get('/v1/audit/verify?fromSeq=2&toSeq=2');
    expect(body).toMatchObject({ fromSeq: 2, toSeq: 2, chainValid: true, checkpoints: [{ atSequence: 2 }] });
    expect(body.checkpoints).toHaveLength(1);
    expect((await host.get('/v1/audit/verify?fromSeq=900&toSeq=901')).body).toEqual({
      fromSeq: 900,
      toSeq: 901,
      chainValid: true,
      checkpointsValid: true,
      checkpoints: [],
      anomalies: [],
    });
  });

  it.each([
    ['fromSeq=1', 'toSeq'],
    ['toSeq=1', 'fromSeq'],
    ['fromSeq=2&toSeq=1', 'toSeq'],
    ['fromSeq=-1&toSeq=1', 'fromSeq'],
    ['fromSeq=0&toSeq=x', 'toSeq'],
    ['fromSeq=&toSeq=', 'fromSeq'],
    ['fromSeq=0.5&toSeq=1', 'fromSeq'],
    ['fromSeq=0&toSeq=9007199254740992', 'toSeq'],
    ['fromSeq=0&toSeq=1&limit=1', 'limit'],
    ['fromSeq=0&toSeq=1&cursor=runs-1', 'cursor'],
    ['fromSeq=0&toSeq=1&runId=any', 'runId'],
  ])('refuses %s, and names %s', async (query, field) => {
    const { status, body } = await host.get(`/v1/audit/verify?${query}`);
    expect([status, body.error, body.details?.field]).toEqual([400, 'validation_error', field]);
  });

  it('is for auditors of every tenant, and shows them nothing of any run', async () => {
    expect((await host.get(WHOLE, { key: null })).status).toBe(401);
    expect((await host.get(WHOLE, { key: 'reader' })).body).toMatchObject({
      error: 'forbidden',
      details: { scope: 'audit:read' },
    });
    const own = await host.get(WHOLE);
    const foreign = await host.get(WHOLE, { key: 'stranger' });
    expect(foreign.body).toEqual(own.body);
    expect(runs).toHaveLength(3);
    for (const runId of runs) expect(foreign.text).not.toContain(runId);
  });

  it('leaves the answer without these parameters as it was', async () => {
    const { body } = await host.get('/v1/audit/verify');
    expect(body).toMatchObject({ ok: true, findings: [], checked: { runs: 3 } });
    expect(body).not.toHaveProperty('chainValid');
  });

  it('says so when it was changed, and not of which run', async () => {
    const before = (await host.get(WHOLE)).body;
    const changed = `UPDATE audit_leaves SET link = substr(link, 2) || substr(link, 1, 1) WHERE checkpoint = 2`;
    expect(forge(folder, changed)).toBe(1);
    const { status, body, text } = await host.get(WHOLE, { key: 'stranger' });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...before,
      chainValid: false,
      anomalies: [{ atSeq: 2, expectedPrevHash: before.checkpoints[0].merkleRoot, actualPrevHash: '' }],
    });
    for (const runId of runs) expect(text).not.toContain(runId);
    expect(
      forge(
        folder,
        changed.replace('substr(link, 2) || substr(link, 1, 1)', 'substr(link, 64) || substr(link, 1, 63)'),
      ),
    ).toBe(1);
    expect((await host.get(WHOLE)).body).toEqual(before);
  });
});
