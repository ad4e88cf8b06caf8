import { describe, expect, it } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { CALLER, handClock, settled, startTestEngine } from './test-engine.ts';

/** A tree with many runs that all wait for a person. */
const WIDTH = 12;

const children = (id: string, childId: string) =>
  workflow(
    id,
    Array.from({ length: WIDTH }, (_, n) => node(`child${n}`, 'core.subWorkflow', { workflowId: childId })),
  );

async function wideTree(time = handClock()) {
  let commits = 0;
  let looks = 0;
  const host = await startTestEngine({
    clock: time.clock,
    // A step for each turn: what needs more than one share on a large tree needs many here.
    share: { events: 1_000_000, bytes: 1_000_000_000, ms: 0 },
    wrap: (store) => ({
      ...store,
      commit(slices) {
        commits += 1;
        return store.commit(slices);
      },
      due(...asked) {
        looks += 1;
        return store.due(...asked);
      },
    }),
  });
  await host.register(
    children('wide', 'middle'),
    children('middle', 'leaf'),
    workflow('leaf', [
      node('gate', 'core.approvalGate', { title: 'Go on?', timeoutMs: 60_000 }),
      node('later', 'core.delay', { ms: 30_000 }),
    ]),
  );
  const runId = await host.create('wide');
  const live = 1 + WIDTH + WIDTH * WIDTH;
  const quiet = async () => {
    for (let before = -1; before !== commits; ) {
      before = commits;
      for (let turn = 0; turn < 50; turn += 1) await settled();
    }
  };
  await quiet();
  return { host, time, runId, live, quiet, counts: () => ({ commits, looks }) };
}

describe('a tree in which every run waits', () => {
  it('comes to rest, and costs nothing from then on', async () => {
    const { host, live, quiet, counts } = await wideTree();
    expect((await host.reads.runs({ tenant: 'acme', limit: 1000 })).items).toHaveLength(live);
    const before = counts();
    await quiet();
    expect(counts()).toEqual(before);
  });

  it('comes to rest again after one of its timers has fired, and only that run is looked at', async () => {
    const { host, time, quiet, counts } = await wideTree();
    const before = counts().commits;
    await time.move(30_000);
    await quiet();
    const { items } = await host.reads.runs({ tenant: 'acme', workflowId: 'leaf', limit: 1000 });
    const types = await Promise.all(items.map(({ runId }) => host.types(runId)));
    const leaves = types.map((all) => all.filter((type) => type === 'node.completed').length);
    // The delay of every leaf is over, and nothing else has happened.
    expect(leaves).toEqual(Array.from({ length: WIDTH * WIDTH }, () => 1));
    const after = counts().commits;
    expect(after - before).toBeLessThan(4 * WIDTH * WIDTH);
    await quiet();
    expect(counts().commits).toBe(after);
  });

  it('comes to rest after a restart', async () => {
    const { host, quiet, counts } = await wideTree();
    const after = await host.crash();
    await quiet();
    const before = counts();
    await quiet();
    expect(counts()).toEqual(before);
    const leaf = (await after.reads.runs({ tenant: 'acme', workflowId: 'leaf', limit: 1 })).items[0];
    const reply = await after.execute({ kind: 'cancel-run', caller: CALLER, runId: leaf?.runId ?? '' });
    expect(reply).toMatchObject({ ok: true });
  });
});
