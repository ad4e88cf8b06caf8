import { auditRun, openVault, type StateAt, stateAt } from '@baton/engine';
import { expect, it } from 'vitest';
import { bundleOf, openedIn } from '../../bundles.ts';
import { idsIn, verifies } from '../../verifies.ts';
import { expectSameFrom, quiet, replay, treeOf } from '../forking.ts';
import { type Bench, CALLER } from '../test-engine.ts';
import { allOf, cutsOf, DAY, lived, STORIES } from './forked.ts';
import type { Life } from './story.ts';

/**
 * Every story is replayed from every index at which a step of its log begins: where it was recorded, after the host was
 * changed and started again, on another host, as the replay of a replay, and while its source still waits. Each replay
 * repeats the story, so its log is that of its source.
 */

/** While its source waits, a replay is as far as its source and waits for the same. */
async function expectAsFar({ top }: Life, runId: string, seen: Map<string, StateAt>): Promise<void> {
  for (const one of await treeOf(top, runId)) {
    const { length } = await top.events(one);
    const state = await stateAt(top.reads, { tenant: CALLER.tenant, runId: one }, length);
    if (state) seen.set(`${one}@${length}`, state);
  }
  await expectSameFrom(top, runId, [0]);
  for (const { runId: twin } of (await top.reads.runs({ tenant: CALLER.tenant, limit: 100 })).items) {
    if (twin.startsWith(runId) || twin.includes('.')) continue;
    await top.execute({ kind: 'cancel-run', caller: CALLER, runId: twin });
  }
  await quiet();
}

/** What came to a gate is what was said to be there, under whatever name. */
async function expectAttested(top: Bench, runId: string): Promise<void> {
  for (const one of await treeOf(top, runId)) {
    const audit = await auditRun(top.reads, { tenant: CALLER.tenant, runId: one });
    expect(audit?.allMatch).toBe(true);
  }
}

it.each(STORIES)(
  'a replay performs nothing, and is from every index what its source was: %s',
  async (name, told) => {
    verifies('REPLAY-08', 'REPLAY-09', 'REPLAY-10', 'REPLAY-11', 'REPLAY-12', 'READ-17', 'MEM-10');
    verifies('MEM-17', ...idsIn(name));
    const story = told();
    const seen = new Map<string, StateAt>();
    const { life, source, names } = await lived(story, (living, runId) => expectAsFar(living, runId, seen));
    const bundle = await bundleOf(life.top, source);
    await life.time.move(DAY);
    const top = await life.top.crash(story.laterHost);
    await story.later?.(top);
    const tree = await treeOf(top, source);
    const before = await allOf(top, tree);
    const cuts = await cutsOf(top, source);
    await expectSameFrom(top, source, [...cuts, (await top.events(source)).length], names);
    for (const below of tree.slice(1)) {
      // What cancelled it came from above, and does not come to a child that is alone.
      if ((await top.status(below)) !== 'cancelled') await expectSameFrom(top, below, [0], [source]);
    }
    const twin = await replay(top, source, cuts[1]);
    for (const runId of await treeOf(top, twin)) {
      expect(await top.reads.scope(CALLER.tenant, `run:${runId}`)).toBeUndefined();
    }
    await expectSameFrom(top, twin, [0, cuts[cuts.length >> 1] ?? 0], [source, ...names]);
    expect(await allOf(top, tree)).toEqual(before);
    for (const [place, state] of seen) {
      const [runId = '', at] = place.split('@');
      expect(await stateAt(top.reads, { tenant: CALLER.tenant, runId }, Number(at))).toEqual(state);
    }
    const vault = openVault(new Map(), new Uint8Array(32).fill(9));
    const elsewhere = await openedIn(bundle, { ...story.host, ...story.laterHost, vault });
    await expectSameFrom(elsewhere, source, [0], names);
    await expectAttested(top, twin);
    await expectAttested(elsewhere, await replay(elsewhere, source));
  },
);
