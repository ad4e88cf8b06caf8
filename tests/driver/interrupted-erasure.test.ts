import { newSigningKey, StorageFullError, signingKey } from '@baton/engine';
import { expect, it } from 'vitest';
import { workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { child, effect, start, treeOf } from './forking.ts';
import { type Bench, CALLER, startTestEngine } from './test-engine.ts';

/** A tree is erased run by run. An erasure may be interrupted when only some of its runs are erased. */

async function erasedInPart(): Promise<{ readonly host: Bench; readonly runId: string }> {
  let erasures = 0;
  const host = await startTestEngine({
    auditKey: signingKey(newSigningKey(), 'test'),
    wrap: (store) => ({
      ...store,
      eraseRun(...given) {
        erasures += 1;
        return erasures === 2 ? Promise.reject(new StorageFullError()) : store.eraseRun(...given);
      },
    }),
  });
  await host.register(workflow('inner', [effect('act')]));
  await host.register(workflow('outer', [child('one', 'inner'), child('two', 'inner')]));
  const runId = await start(host, 'outer');
  const reply = await host.execute({ kind: 'erase-run', caller: CALLER, runId, reason: 'asked to' });
  expect(reply).toMatchObject({ ok: false, error: { error: 'storage_full' } });
  return { host, runId };
}

async function erasedRuns(host: Bench, runId: string): Promise<readonly boolean[]> {
  const rows = await Promise.all((await treeOf(host, runId)).map((one) => host.store.run(one)));
  return rows.map((row) => row?.erasedAt !== undefined);
}

it.each(['replay', 'branch'])('leaves no run of the tree that a %s can begin from', async (mode) => {
  const { host, runId } = await erasedInPart();
  expect((await erasedRuns(host, runId)).filter(Boolean)).toHaveLength(1);
  for (const source of await treeOf(host, runId)) {
    const fork = { kind: 'fork-run', caller: CALLER, runId: source, body: { mode, fromSeq: 0 } } as const;
    expect(await host.execute(fork as never)).toMatchObject({
      ok: false,
      error: {
        error: 'replay_memory_snapshot_unavailable',
        details: { reason: 'event_log_unavailable', sourceRunId: source },
      },
    });
  }
  expect(host.logged).toEqual([]);
});

it('is completed when the command is repeated', async () => {
  const { host, runId } = await erasedInPart();
  const repeated = await host.execute({ kind: 'erase-run', caller: CALLER, runId, reason: 'asked to' });
  expect(repeated).toMatchObject({ ok: true, value: { kind: 'erased', runs: 3 } });
  expect(await erasedRuns(host, runId)).toEqual([true, true, true]);
});
