import { createHash, createPublicKey, verify } from 'node:crypto';
import { auditPage, newSigningKey, type SigningKey, signingKey, verifyAuditLog } from '@baton/engine';
import type { AuditLogReport } from '@baton/protocol';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { type Bench, handClock, startTestEngine } from '../driver/test-engine.ts';
import { forge } from './forge.ts';

const FLOW = workflow('w', [node('n', 'core.noop')]);
const ZEROS = '0'.repeat(64);

let key: SigningKey;
let host: Bench;

async function checkpointsOf(bench: Bench, time: ReturnType<typeof handClock>, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    await bench.create('w');
    await bench.create('w');
    await time.move(1000);
  }
}

beforeEach(async () => {
  const time = handClock();
  key = signingKey(newSigningKey(), 'a test');
  host = await startTestEngine({ clock: time.clock, auditKey: key });
  await host.register(FLOW);
  await checkpointsOf(host, time, 4);
});

async function report(fromSeq = 0, toSeq = 1000, { bench = host, by = key } = {}): Promise<AuditLogReport> {
  const answer = await verifyAuditLog(bench.reads, by, { fromSeq, toSeq });
  if (!('chainValid' in answer)) throw new Error('the range is too large');
  return answer;
}

const findings = async (bench = host, by = key) =>
  (await auditPage(bench.reads, by, { limit: 100 })).findings.map(({ what, checkpoint }) => [
    what,
    checkpoint,
  ]);
const sequences = ({ checkpoints }: AuditLogReport) => checkpoints.map(({ atSequence }) => atSequence);
const brief = ({ chainValid, checkpointsValid, anomalies }: AuditLogReport) => ({
  chainValid,
  checkpointsValid,
  at: anomalies.map(({ atSeq }) => atSeq),
});
const VALID = { chainValid: true, checkpointsValid: true, at: [] };

interface Row {
  readonly number: number;
  readonly sequence: number;
  readonly at: number;
  readonly keyId: string;
  readonly digest: string;
}

/** Reads the rows as they are stored. None of the product's own functions is used. */
function storedRows(folder: string): readonly (Row & { readonly lines: string })[] {
  const database = new Database(`${folder}/baton.db`, { readonly: true });
  const leaves = database.prepare<[number], { runId: string; head: number; link: string }>(
    `SELECT run_id AS runId, audit_leaves.head, link FROM audit_leaves JOIN runs USING (run_no)
     WHERE checkpoint = ? ORDER BY run_id`,
  );
  const rows = database
    .prepare<[], Row>(
      'SELECT number, sequence, at, key_id AS keyId, digest FROM audit_checkpoints ORDER BY number',
    )
    .all()
    .map((row) => ({
      ...row,
      lines: leaves
        .all(row.number)
        .map(({ runId, head, link }) => `${runId} ${head} ${link}\n`)
        .join(''),
    }));
  database.close();
  return rows;
}

const hash = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');

/** RFC 8785 for the flat entries of this log: their names and values are plain ASCII. */
const canonical = (entry: Record<string, unknown>) =>
  `{${Object.keys(entry)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${JSON.stringify(entry[name])}`)
    .join(',')}}`;

describe('the audit log', () => {
  it('can be recomputed and verified without this software', async () => {
    const { checkpoints } = await report();
    const publicKey = createPublicKey({ key: Buffer.from(key.spki, 'base64'), format: 'der', type: 'spki' });
    const rows = storedRows(host.folder);
    expect(checkpoints).toHaveLength(4);
    expect(rows).toHaveLength(4);
    let prevHash: string | null = null;
    for (const [index, { number, at, keyId, lines }] of rows.entries()) {
      expect(lines.split('\n')).toHaveLength(3);
      const entry = { sequence: index + 1, checkpoint: number, at, keyId, runs: hash(lines), prevHash };
      const { merkleRoot, signature, atSequence } = checkpoints[index]!;
      prevHash = hash(canonical(entry));
      expect([atSequence, merkleRoot]).toEqual([index + 1, prevHash]);
      const bytes = Buffer.from(merkleRoot, 'hex');
      expect(verify(null, bytes, publicKey, Buffer.from(signature, 'base64'))).toBe(true);
      expect(verify(null, Buffer.from(merkleRoot), publicKey, Buffer.from(signature, 'base64'))).toBe(false);
    }
  });

  it('cannot be changed or shortened in the database', () => {
    const database = new Database(`${host.folder}/baton.db`);
    for (const table of ['audit_checkpoints', 'audit_leaves']) {
      expect(() => database.exec(`DELETE FROM ${table}`)).toThrow('cannot be deleted');
    }
    expect(() => database.exec('UPDATE audit_checkpoints SET at = 0')).toThrow('cannot be changed');
    expect(() => database.exec('UPDATE audit_leaves SET head = 0')).toThrow('cannot be changed');
    database.close();
  });

  it('goes on after a restart', async () => {
    const time = handClock();
    const after = await host.crash({ clock: time.clock });
    await checkpointsOf(after, time, 1);
    const whole = await report(0, 1000, { bench: after });
    expect([sequences(whole), brief(whole)]).toEqual([[1, 2, 3, 4, 5], VALID]);
  });
});

describe('an audit log that was changed', () => {
  const WITHOUT_SECOND = 'DELETE FROM audit_checkpoints WHERE number = 2';

  it.each<[string, string, readonly number[], boolean]>([
    ['an entry', 'UPDATE audit_checkpoints SET at = at + 1 WHERE number = 2', [2], true],
    ['the last entry', 'UPDATE audit_checkpoints SET at = at + 1 WHERE number = 4', [4], true],
    ['a leaf', `UPDATE audit_leaves SET link = '${'a'.repeat(64)}' WHERE checkpoint = 2`, [2], true],
    ['a removed leaf', 'DELETE FROM audit_leaves WHERE checkpoint = 2', [2], true],
    ['a removed checkpoint', WITHOUT_SECOND, [2], true],
    ['the first checkpoint removed', 'DELETE FROM audit_checkpoints WHERE number = 1', [1], true],
    ['the last checkpoint removed', 'DELETE FROM audit_checkpoints WHERE number = 4', [4], true],
    ['several removed', 'DELETE FROM audit_checkpoints WHERE number IN (2, 3)', [2], true],
    ['all removed', 'DELETE FROM audit_checkpoints', [1], true],
    ['a digest', `UPDATE audit_checkpoints SET digest = '${ZEROS}' WHERE number = 2`, [2], false],
    [
      'more after a digest',
      `UPDATE audit_checkpoints SET digest = digest || 'zz' WHERE number = 2`,
      [2],
      false,
    ],
    ['another sequence', 'UPDATE audit_checkpoints SET sequence = 9 WHERE number = 2', [2], true],
    ['another key', `UPDATE audit_checkpoints SET key_id = 'x' WHERE number = 2`, [2, 3], false],
  ])('is found invalid: %s', async (_what, sql, at, checkpointsValid) => {
    expect(forge(host.folder, sql)).toBeGreaterThan(0);
    expect(brief(await report())).toEqual({ chainValid: false, checkpointsValid, at });
  });

  it('names the hash that the entry should carry, and none that it does', async () => {
    const [first] = (await report()).checkpoints;
    forge(host.folder, 'UPDATE audit_checkpoints SET at = at + 1 WHERE number IN (1, 2)');
    expect((await report()).anomalies).toEqual([
      { atSeq: 1, expectedPrevHash: ZEROS, actualPrevHash: '' },
      { atSeq: 2, expectedPrevHash: first?.merkleRoot, actualPrevHash: '' },
    ]);
  });

  it('finds a changed sequence also after a gap, where the hash of the entry before is not known', async () => {
    forge(host.folder, WITHOUT_SECOND);
    forge(host.folder, 'UPDATE audit_checkpoints SET sequence = 9 WHERE number = 3');
    expect(brief(await report()).at).toEqual([2, 3]);
  });

  it('tells a forged signature from a broken chain', async () => {
    const [first] = (await report()).checkpoints;
    forge(
      host.folder,
      'UPDATE audit_checkpoints SET signature = (SELECT signature FROM audit_checkpoints WHERE number = 1) WHERE number = 2',
    );
    const forged = await report();
    expect(brief(forged)).toEqual({ chainValid: false, checkpointsValid: false, at: [2] });
    expect(forged.anomalies[0]).toMatchObject({
      expectedPrevHash: first?.merkleRoot,
      actualPrevHash: first?.merkleRoot,
    });
  });

  it.each([
    ['its beginning', 'UPDATE audit_checkpoints SET sequence = 1 WHERE number = 4'],
    ['its end', 'UPDATE audit_checkpoints SET sequence = 2 WHERE number = 4'],
  ])('cannot hide %s behind the newest checkpoint, whatever the range is', async (_what, sql) => {
    forge(host.folder, sql);
    for (const [from, to] of [
      [0, 100],
      [1, 1],
      [3, 3],
      [50, 60],
    ] as const) {
      expect((await report(from, to)).chainValid, `${from} to ${to}`).toBe(false);
    }
  });

  it('shows the gap for good, also when the host goes on after it', async () => {
    forge(host.folder, 'DELETE FROM audit_checkpoints WHERE number > 2');
    const time = handClock();
    const after = await host.crash({ clock: time.clock });
    await checkpointsOf(after, time, 1);
    const whole = await report(0, 1000, { bench: after });
    expect([sequences(whole), brief(whole)]).toEqual([
      [1, 2, 5],
      { chainValid: false, checkpointsValid: true, at: [3] },
    ]);
  });
});

describe('a part of the audit log', () => {
  it.each<[number, number, readonly number[]]>([
    [0, 0, []],
    [0, 1, [1]],
    [1, 1, [1]],
    [2, 3, [2, 3]],
    [4, 4, [4]],
    [4, 1_000_000, [4]],
    [5, 5, []],
    [5, Number.MAX_SAFE_INTEGER, []],
    [0, Number.MAX_SAFE_INTEGER, [1, 2, 3, 4]],
  ])('from %i to %i holds the entries %j', async (fromSeq, toSeq, expected) => {
    const part = await report(fromSeq, toSeq);
    expect(part).toMatchObject({ fromSeq, toSeq, chainValid: true, checkpointsValid: true, anomalies: [] });
    expect(sequences(part)).toEqual(expected);
  });

  it('has only the anomalies inside it, and one when the entry before it is missing', async () => {
    forge(host.folder, 'DELETE FROM audit_checkpoints WHERE number = 2');
    expect(brief(await report(1, 1))).toEqual(VALID);
    expect(brief(await report(2, 2)).at).toEqual([2]);
    expect(brief(await report(3, 3)).at).toEqual([3]);
    expect(brief(await report(4, 4))).toEqual(VALID);
  });

  it('is refused when it is too large, and can be had in pieces', async () => {
    const range = { fromSeq: 1, toSeq: 1000 };
    const ask = (bounds: { checkpoints: number; leaves: number }) =>
      verifyAuditLog(host.reads, key, range, bounds);
    expect(await ask({ checkpoints: 3, leaves: 100 })).toEqual({ tooLargeAfter: 3 });
    expect(await ask({ checkpoints: 100, leaves: 3 })).toEqual({ tooLargeAfter: 2 });
    expect(await ask({ checkpoints: 4, leaves: 100 })).toMatchObject({ chainValid: true });
    expect(await ask({ checkpoints: 4, leaves: 8 })).toMatchObject({ chainValid: true });
  });
});

describe('a new key', () => {
  it('begins a log, which binds the log before, and verifies all of it', async () => {
    const other = signingKey(newSigningKey(), 'a test');
    expect(brief(await report(0, 1000, { by: other })).chainValid).toBe(false);
    const time = handClock();
    const bench = await host.crash({ clock: time.clock, auditKey: other });
    await checkpointsOf(bench, time, 1);
    const log = await report(0, 1000, { bench, by: other });
    expect([sequences(log), brief(log)]).toEqual([[1, 2], VALID]);
    expect(await findings(bench, other)).toEqual([]);
    forge(bench.folder, `UPDATE audit_checkpoints SET digest = '${ZEROS}' WHERE number = 4`);
    expect(brief(await report(0, 1000, { bench, by: other })).at).toEqual([1]);
  });
});
