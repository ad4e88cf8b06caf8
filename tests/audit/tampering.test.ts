import {
  auditOneRun,
  auditPage,
  type Finding,
  newSigningKey,
  type SigningKey,
  signingKey,
} from '@baton/engine';
import { beforeEach, describe, expect, it } from 'vitest';
import { boss, hand, node, TERMINATE, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { type Bench, CALLER, handClock, startTestEngine } from '../driver/test-engine.ts';
import { forge } from './forge.ts';

/** Somebody with a hand on the database file, and no key. */

let key: SigningKey;
let host: Bench;
let first: string;
let second: string;

/** Two trees of two runs, a checkpoint after each, and a third checkpoint over a small run. */
beforeEach(async () => {
  const time = handClock();
  key = signingKey(newSigningKey(), 'a test');
  host = await startTestEngine({ clock: time.clock, auditKey: key });
  await host.register(
    boss([hand('w'), TERMINATE], { outputMapping: { result: 'out' } }),
    workflow('w', [node('n', 'core.noop')], {
      variables: [{ name: 'out', type: 'string', defaultValue: 'ok' }],
    }),
  );
  first = await host.create('boss');
  await time.move(1000);
  second = await host.create('boss');
  await time.move(1000);
  await host.create('w');
  await time.move(1000);
});

function tamper(sql: string, ...values: readonly unknown[]): number {
  return forge(host.folder, sql, ...values);
}

async function audit(): Promise<readonly Finding[]> {
  return (await auditPage(host.reads, key, { limit: 100 })).findings;
}

const brief = async () =>
  (await audit()).map(({ what, runId, from, to, checkpoint }) => ({ what, runId, from, to, checkpoint }));
const events = (what: Finding['what'], runId: string, from: number, to: number) => ({
  what,
  runId,
  from,
  to,
  checkpoint: undefined,
});
const ofCheckpoint = (what: Finding['what'], checkpoint: number) => ({
  what,
  runId: undefined,
  from: undefined,
  to: undefined,
  checkpoint,
});
const RUN = '(SELECT run_no FROM runs WHERE run_id = ?)';

describe('an audit of the stored logs', () => {
  it('finds nothing while nobody has touched them', async () => {
    expect(await brief()).toEqual([]);
  });

  it('finds a changed event, in a run and in a child', async () => {
    const child = `${second}.1`;
    const { head } = (await host.reads.run(CALLER.tenant, child))!;
    expect(
      tamper(
        `UPDATE events SET data = replace(data, '"ok"', '"no"') WHERE run_no = ${RUN} AND seq = 0`,
        child,
      ),
    ).toBe(1);
    expect(await brief()).toEqual([events('event-changed', child, 0, head - 1)]);
  });

  it('finds a changed event also when the link on the row was made to agree', async () => {
    const { head } = (await host.reads.run(CALLER.tenant, first))!;
    tamper(`UPDATE events SET data = replace(data, 'boss', 'bass') WHERE run_no = ${RUN} AND seq = 0`, first);
    const { extendChain } = await import('@baton/protocol');
    const link = extendChain('', await host.reads.events(CALLER.tenant, first, 0, 1000));
    tamper('UPDATE runs SET chain = ? WHERE run_id = ?', link, first);
    const [, ...rest] = await brief();
    expect(await brief()).toContainEqual(events('event-changed', first, 0, head - 1));
    expect(rest.every(({ runId }) => runId === first)).toBe(true);
  });

  it('finds a missing event', async () => {
    tamper(`DELETE FROM events WHERE run_no = ${RUN} AND seq = 3`, first);
    expect(await brief()).toEqual([events('event-missing', first, 3, 3)]);
  });

  it('finds an event that was put in', async () => {
    const { head } = (await host.reads.run(CALLER.tenant, first))!;
    const last = (await host.reads.events(CALLER.tenant, first, head - 1, 1))[0]!;
    const forged = last
      .replaceAll(`:${head - 1}"`, `:${head}"`)
      .replace(`"sequence":${head - 1}`, `"sequence":${head}`);
    tamper(`INSERT INTO events (run_no, seq, data) VALUES (${RUN}, ?, ?)`, first, head, forged);
    expect(await brief()).toEqual([events('event-inserted', first, head, head)]);
  });

  it('finds events that were swapped', async () => {
    const [third, fourth] = await host.reads.events(CALLER.tenant, first, 3, 2);
    tamper(`UPDATE events SET data = ? WHERE run_no = ${RUN} AND seq = 3`, fourth, first);
    tamper(`UPDATE events SET data = ? WHERE run_no = ${RUN} AND seq = 4`, third, first);
    expect(await brief()).toEqual([
      events('event-reordered', first, 3, 3),
      events('event-reordered', first, 4, 4),
    ]);
  });

  it('finds a log whose end is gone, whatever the row says', async () => {
    const { head } = (await host.reads.run(CALLER.tenant, first))!;
    tamper(`DELETE FROM events WHERE run_no = ${RUN} AND seq >= ?`, first, head - 2);
    expect(await brief()).toEqual([events('log-truncated', first, head - 2, head - 1)]);
    tamper('UPDATE runs SET head = ? WHERE run_id = ?', head - 2, first);
    expect(await brief()).toContainEqual(events('log-truncated', first, head - 2, head - 1));
  });

  it('finds a changed link on a row', async () => {
    const { head } = (await host.reads.run(CALLER.tenant, first))!;
    tamper('UPDATE runs SET chain = ? WHERE run_id = ?', 'f'.repeat(64), first);
    expect(await brief()).toEqual([events('link-changed', first, head, head)]);
  });

  it('finds a removed checkpoint, and one that was changed', async () => {
    tamper('DELETE FROM audit_checkpoints WHERE number = 2');
    expect(await brief()).toEqual([ofCheckpoint('checkpoint-missing', 2)]);
    tamper('UPDATE audit_checkpoints SET at = at + 1 WHERE number = 3');
    expect(await brief()).toEqual([ofCheckpoint('checkpoint-missing', 2)]);
    tamper('UPDATE audit_checkpoints SET at = at + 1 WHERE number = 1');
    expect(await brief()).toContainEqual(ofCheckpoint('checkpoint-changed', 1));
  });

  it('finds a changed leaf, a removed one, and a list of runs that is none', async () => {
    tamper('UPDATE audit_leaves SET link = ? WHERE checkpoint = 2', 'a'.repeat(64));
    expect(await brief()).toContainEqual(ofCheckpoint('checkpoint-changed', 2));
    tamper('DELETE FROM audit_leaves WHERE checkpoint = 1');
    expect(await brief()).toContainEqual(ofCheckpoint('checkpoint-changed', 1));
    tamper("UPDATE audit_checkpoints SET runs = 'nonsense' WHERE number = 3");
    expect(await brief()).toContainEqual(ofCheckpoint('checkpoint-changed', 3));
  });

  it('finds a run that was removed altogether', async () => {
    tamper(`DELETE FROM events WHERE run_no = ${RUN}`, second);
    tamper('DELETE FROM runs WHERE run_id = ?', second);
    expect(await brief()).toContainEqual(ofCheckpoint('checkpoint-changed', 2));
  });

  it('finds a forged signature, also when a whole history was forged', async () => {
    tamper(
      'UPDATE audit_checkpoints SET signature = (SELECT signature FROM audit_checkpoints WHERE number = 1)',
    );
    expect((await brief()).map(({ what, checkpoint }) => [what, checkpoint])).toEqual([
      ['signature-invalid', 2],
      ['signature-invalid', 3],
    ]);
  });

  it('finds the same in one run alone, its newest checkpoint included', async () => {
    const alone = async (runId: string) => (await auditOneRun(host.reads, key, runId))!.findings;
    expect(await alone(first)).toEqual([]);
    tamper(`DELETE FROM events WHERE run_no = ${RUN} AND seq = 3`, first);
    expect(await alone(first)).toMatchObject([{ what: 'event-missing', runId: first }]);
    expect(await alone(second)).toEqual([]);
    tamper('UPDATE audit_leaves SET head = head + 1 WHERE checkpoint = 2');
    expect(await alone(second)).toContainEqual(
      expect.objectContaining({ what: 'checkpoint-changed', checkpoint: 2 }),
    );
  });
});
