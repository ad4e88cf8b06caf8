import { auditPage, newSigningKey, type PublicKey, signingKey } from '@baton/engine';
import { describe, expect, it } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { type Bench, CALLER, handClock, settled, startTestEngine } from '../driver/test-engine.ts';
import { forge } from './forge.ts';

const KEY = signingKey(newSigningKey(), 'a test');
const FLOW = workflow('w', [node('n', 'core.noop')]);
const WAITING = workflow('waiting', [node('gate', 'core.approvalGate')]);

const answer = (runId: string) =>
  ({
    kind: 'resolve-interrupt',
    caller: CALLER,
    runId,
    target: { nodeId: 'gate' },
    resumeValue: { action: 'accept' },
    viaToken: false,
    scopes: [],
  }) as const;

async function audit({ reads }: Bench, key: PublicKey = KEY) {
  const { findings, checked } = await auditPage(reads, key, { limit: 100 });
  return { findings, unsigned: checked.unsigned };
}

const numbers = async ({ reads }: Bench) => (await reads.checkpoints(1, 100)).map(({ number }) => number);

describe('an audit of a run that advances meanwhile', () => {
  /** Reads that let something happen after the row of a run was read. */
  const readingThen = ({ reads }: Bench, happens: () => Promise<unknown>) => ({
    ...reads,
    async chainRecord(...asked: Parameters<typeof reads.chainRecord>) {
      const record = await reads.chainRecord(...asked);
      await happens();
      return record;
    },
  });

  it('leaves the new events to the next audit', async () => {
    const host = await startTestEngine({ auditKey: KEY });
    await host.register(WAITING);
    const runId = await host.create('waiting');
    const reads = readingThen(host, () => host.execute(answer(runId)));
    expect((await auditPage(reads, KEY, { tenant: CALLER.tenant, limit: 10 })).findings).toEqual([]);
    expect(await host.status(runId)).toBe('completed');
    expect((await audit(host)).findings).toEqual([]);
  });

  it('still finds an event that was added and that the run does not count', async () => {
    const host = await startTestEngine({ auditKey: KEY, holdsForgeries: true });
    await host.register(WAITING);
    const runId = await host.create('waiting');
    const head = (await host.events(runId)).length;
    const insert = `INSERT INTO events (run_no, seq, data, place)
      SELECT run_no, ${head}, '{}', 99 FROM runs WHERE run_id = '${runId}'`;
    const reads = readingThen(host, async () => {
      if ((await host.reads.filedEvents(runId, head, 1)).length === 0) forge(host.folder, insert);
    });
    const { findings } = await auditPage(reads, KEY, { tenant: CALLER.tenant, limit: 10 });
    expect(findings).toMatchObject([{ what: 'event-inserted', from: head }]);
  });
});

describe('signed checkpoints', () => {
  it('speak for what moved, once a second, and for nothing while nothing moves', async () => {
    const time = handClock();
    const host = await startTestEngine({ clock: time.clock, auditKey: KEY });
    await host.register(FLOW);
    const first = await host.create('w');
    const second = await host.create('w');
    expect(await numbers(host)).toEqual([]);
    expect(await audit(host)).toEqual({ findings: [], unsigned: 2 });

    const alarms = time.alarms();
    await time.move(1000);
    const leaves = [first, second].sort().map((runId) => ({ runId }));
    expect(await host.reads.checkpoints(1, 10)).toMatchObject([{ number: 1, leaves }]);
    expect(await audit(host)).toEqual({ findings: [], unsigned: 0 });
    expect(time.alarms()).toBe(alarms - 1);
    await time.move(60_000);
    expect(await numbers(host)).toEqual([1]);
  });

  it('follow a run that goes on, and bind its links to each other', async () => {
    const time = handClock();
    const host = await startTestEngine({ clock: time.clock, auditKey: KEY });
    await host.register(WAITING);
    const runId = await host.create('waiting');
    await time.move(1000);
    await host.execute(answer(runId));
    await time.move(1000);
    const { row, leaves } = (await host.reads.chainRecord(runId))!;
    expect(leaves.map(({ checkpoint }) => checkpoint)).toEqual([1, 2]);
    expect(leaves[1]).toMatchObject({ head: row.head, link: row.chain });
    expect(await audit(host)).toEqual({ findings: [], unsigned: 0 });
  });

  it('are written when the host stops', async () => {
    const host = await startTestEngine({ clock: handClock().clock, auditKey: KEY });
    await host.register(FLOW);
    await host.create('w');
    await host.engine.stop();
    expect(await numbers(host)).toEqual([1]);
    await host.engine.stop();
    expect(await numbers(host)).toEqual([1]);
  });

  it('speak after a crash for what nobody had signed, and for nothing else', async () => {
    const time = handClock();
    const before = await startTestEngine({ clock: time.clock, auditKey: KEY });
    await before.register(FLOW, WAITING);
    const signed = await before.create('w');
    const both = await before.create('waiting');
    await time.move(1000);
    const unsigned = await before.create('w');
    await before.execute(answer(both));
    await settled();
    const after = await before.crash({ clock: handClock().clock });
    const leaves = (await after.reads.checkpoints(2, 10)).flatMap((checkpoint) => checkpoint.leaves);
    expect(leaves.map((leaf) => leaf?.runId)).toEqual([both, unsigned].sort());
    expect(leaves.some((leaf) => leaf?.runId === signed)).toBe(false);
    expect(await audit(after)).toEqual({ findings: [], unsigned: 0 });
    const again = await after.crash();
    expect(await numbers(again)).toEqual([1, 2]);
  });

  it('by a new key vouch for those of the old one', async () => {
    const before = await startTestEngine({ clock: handClock().clock, auditKey: KEY });
    await before.register(FLOW);
    await before.create('w');
    await before.engine.stop();
    const other = signingKey(newSigningKey(), 'a test');
    expect((await audit(before, other)).findings).toMatchObject([{ what: 'key-unknown' }]);
    const after = await before.crash({ auditKey: other });
    expect(await numbers(after)).toEqual([1, 2]);
    expect((await audit(after, other)).findings).toEqual([]);
  });

  it('wait for room on a full disk, and lose nothing', async () => {
    const time = handClock();
    let full = false;
    const host = await startTestEngine({
      clock: time.clock,
      auditKey: KEY,
      wrap: (store) => ({
        ...store,
        sign: async (make) => {
          const { StorageFullError } = await import('@baton/engine');
          if (full) throw new StorageFullError();
          return store.sign(make);
        },
      }),
    });
    await host.register(FLOW);
    await host.create('w');
    full = true;
    await time.move(1000);
    expect(await numbers(host)).toEqual([]);
    full = false;
    await time.move(1000);
    expect(await numbers(host)).toEqual([1]);
    expect(await audit(host)).toEqual({ findings: [], unsigned: 0 });
    expect(host.fatal).toEqual([]);
  });
});

describe('checkpoints that were removed', () => {
  const ALL = ['checkpoint-missing', 'checkpoint-missing', 'checkpoint-missing'];

  it.each([
    ['all of them', 'DELETE FROM audit_checkpoints', ALL],
    ['with all that they said', 'DELETE FROM audit_checkpoints; DELETE FROM audit_leaves', ALL],
    ['the last one', 'DELETE FROM audit_checkpoints WHERE number = 3', ALL.slice(2)],
    ['all of them, and the progress', 'DELETE FROM audit_checkpoints; DELETE FROM audit_progress', ALL],
  ])('do not stop the host, and are missed: %s', async (_which, removal, missed) => {
    const time = handClock();
    const before = await startTestEngine({ clock: time.clock, auditKey: KEY });
    await before.register(WAITING);
    const runs: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      runs.push(await before.create('waiting'));
      await time.move(1000);
    }
    expect(await numbers(before)).toEqual([1, 2, 3]);
    for (const sql of removal.split('; ')) forge(before.folder, sql);
    const after = await before.crash({ clock: handClock().clock });
    const told = (await audit(after)).findings.map((finding) => finding.what);
    for (const runId of runs) await after.execute(answer(runId));
    await after.engine.stop();
    expect(after.fatal).toEqual([]);
    expect(told).toEqual(missed);
    expect((await audit(after)).findings.map((finding) => finding.what)).toEqual(missed);
    expect((await numbers(after)).at(-1)).toBeGreaterThan(3);
  });
});

describe('the chain', () => {
  it('goes on over a restart, also for a run from before there were chains', async () => {
    const before = await startTestEngine();
    await before.register(WAITING);
    const runId = await before.create('waiting');
    const { default: Database } = await import('better-sqlite3');
    const database = new Database(`${before.folder}/baton.db`);
    database.prepare('UPDATE runs SET chain = NULL').run();
    database.close();
    const after = await before.crash({ auditKey: KEY });
    await after.execute(answer(runId));
    await after.engine.stop();
    expect(await audit(after)).toEqual({ findings: [], unsigned: 0 });
    expect((await after.reads.chainRecord(runId))?.leaves.at(-1)?.head).toBe(
      (await after.events(runId)).length,
    );
  });

  it('covers the fact that sets a run aside', async () => {
    const host = await startTestEngine({ auditKey: KEY });
    await host.register(WAITING);
    const runId = await host.create('waiting');
    const { default: Database } = await import('better-sqlite3');
    const database = new Database(`${host.folder}/baton.db`);
    database.prepare('DELETE FROM definitions').run();
    database.close();
    const after = await host.crash();
    await after.execute(answer(runId));
    expect((await after.types(runId)).at(-1)).toBe('run.failed');
    await after.engine.stop();
    expect(await audit(after)).toEqual({ findings: [], unsigned: 0 });
  });
});
