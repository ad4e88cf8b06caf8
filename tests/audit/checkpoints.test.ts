import { auditPage, newSigningKey, type PublicKey, signingKey } from '@baton/engine';
import { describe, expect, it } from 'vitest';
import { node, workflow } from '../../packages/engine/src/testkit/workflows.ts';
import { type Bench, CALLER, handClock, settled, startTestEngine } from '../driver/test-engine.ts';

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

const numbers = ({ reads }: Bench) => reads.checkpoints(1, 100).map(({ number }) => number);

describe('signed checkpoints', () => {
  it('speak for what moved, once a second, and for nothing while nothing moves', async () => {
    const time = handClock();
    const host = await startTestEngine({ clock: time.clock, auditKey: KEY });
    await host.register(FLOW);
    const first = await host.create('w');
    const second = await host.create('w');
    expect(numbers(host)).toEqual([]);
    expect(await audit(host)).toEqual({ findings: [], unsigned: 2 });

    const alarms = time.alarms();
    await time.move(1000);
    const leaves = [first, second].sort().map((runId) => ({ runId }));
    expect(host.reads.checkpoints(1, 10)).toMatchObject([{ number: 1, leaves }]);
    expect(await audit(host)).toEqual({ findings: [], unsigned: 0 });
    expect(time.alarms()).toBe(alarms - 1);
    await time.move(60_000);
    expect(numbers(host)).toEqual([1]);
  });

  it('follow a run that goes on, and bind its links to each other', async () => {
    const time = handClock();
    const host = await startTestEngine({ clock: time.clock, auditKey: KEY });
    await host.register(WAITING);
    const runId = await host.create('waiting');
    await time.move(1000);
    await host.execute(answer(runId));
    await time.move(1000);
    const { row, leaves } = host.reads.chainRecord(runId)!;
    expect(leaves.map(({ checkpoint }) => checkpoint)).toEqual([1, 2]);
    expect(leaves[1]).toMatchObject({ head: row.head, link: row.chain });
    expect(await audit(host)).toEqual({ findings: [], unsigned: 0 });
  });

  it('are written when the host stops', async () => {
    const host = await startTestEngine({ clock: handClock().clock, auditKey: KEY });
    await host.register(FLOW);
    await host.create('w');
    await host.engine.stop();
    expect(numbers(host)).toEqual([1]);
    await host.engine.stop();
    expect(numbers(host)).toEqual([1]);
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
    const leaves = after.reads.checkpoints(2, 10).flatMap((checkpoint) => checkpoint.leaves);
    expect(leaves.map((leaf) => leaf?.runId)).toEqual([both, unsigned].sort());
    expect(leaves.some((leaf) => leaf?.runId === signed)).toBe(false);
    expect(await audit(after)).toEqual({ findings: [], unsigned: 0 });
    const again = await after.crash();
    expect(numbers(again)).toEqual([1, 2]);
  });

  it('by a new key vouch for those of the old one', async () => {
    const before = await startTestEngine({ clock: handClock().clock, auditKey: KEY });
    await before.register(FLOW);
    await before.create('w');
    await before.engine.stop();
    const other = signingKey(newSigningKey(), 'a test');
    expect((await audit(before, other)).findings).toMatchObject([{ what: 'key-unknown' }]);
    const after = await before.crash({ auditKey: other });
    expect(numbers(after)).toEqual([1, 2]);
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
    expect(numbers(host)).toEqual([]);
    full = false;
    await time.move(1000);
    expect(numbers(host)).toEqual([1]);
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
    expect(numbers(before)).toEqual([1, 2, 3]);
    const { default: Database } = await import('better-sqlite3');
    const database = new Database(`${before.folder}/baton.db`);
    database.exec(removal);
    database.close();
    const after = await before.crash({ clock: handClock().clock });
    const told = (await audit(after)).findings.map((finding) => finding.what);
    for (const runId of runs) await after.execute(answer(runId));
    await after.engine.stop();
    expect(after.fatal).toEqual([]);
    expect(told).toEqual(missed);
    expect((await audit(after)).findings.map((finding) => finding.what)).toEqual(missed);
    expect(numbers(after).at(-1)).toBeGreaterThan(3);
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
    expect(after.reads.chainRecord(runId)?.leaves.at(-1)?.head).toBe(after.events(runId).length);
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
    expect(after.types(runId).at(-1)).toBe('run.failed');
    await after.engine.stop();
    expect(await audit(after)).toEqual({ findings: [], unsigned: 0 });
  });
});
