import type { Notice } from '@baton/engine';
import type { EventInTree, RunRow } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import { createFeed } from './feed.ts';
import { treeLog } from './tree-log.ts';

/** A store whose logs grow while they are read. */
function growingTree(runIds: readonly string[]) {
  const logs = new Map<string, EventInTree[]>(runIds.map((runId) => [runId, []]));
  const statuses = new Map<string, RunRow['status']>();
  const feed = createFeed();
  const beforeReads: (() => void)[] = [];
  let places = 0;
  const rowOf = (runId: string): RunRow =>
    ({ runId, head: logs.get(runId)?.length ?? 0, status: statuses.get(runId) ?? 'running' }) as RunRow;
  const reads = {
    async runFamily(_: string, runId: string) {
      return { row: rowOf(runId), descendants: [...logs.keys()].filter((id) => id !== runId).map(rowOf) };
    },
    async eventsInTree(_: string, runId: string, from: number, limit: number) {
      beforeReads.shift()?.();
      return logs.get(runId)?.slice(from, from + limit) ?? [];
    },
    async lengthAt(_: string, runId: string, place: number) {
      return logs.get(runId)?.filter((event) => event.place <= place).length ?? 0;
    },
  };
  /** Stores one slice with one event of each run, in this order. */
  function store(...moved: readonly string[]): void {
    for (const runId of moved) {
      places += 1;
      const log = logs.get(runId) ?? [];
      logs.set(runId, log);
      log.push({ place: places, text: `{"type":"e${places}"}` });
    }
    feed.publish(
      [...new Set(moved)].map((runId) => {
        const status = statuses.get(runId) ?? 'running';
        return { runId, lastSequence: (logs.get(runId)?.length ?? 0) - 1, status } as Notice;
      }),
    );
  }
  return {
    host: { feed, reads },
    store,
    end(...ended: readonly string[]) {
      for (const runId of ended) statuses.set(runId, 'completed');
      store(...ended);
    },
    /** Does this before one of the next reads. */
    before: (...work: readonly (() => void)[]) => void beforeReads.push(...work),
    places: () => places,
  };
}

async function placesOf(next: () => Promise<{ readonly text: string } | undefined>): Promise<number[]> {
  let text = '';
  for (let frames = await next(); frames !== undefined; frames = await next()) {
    text += frames.text;
    if (frames.text.includes('tree.ended')) break;
  }
  return [...text.matchAll(/^id: (\d+)$/gm)].map(([, place]) => Number(place));
}

const RUN = { tenant: 'acme', runId: 'r' };
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

it('keeps the order when slices are stored between the reads of the logs', async () => {
  const tree = growingTree(['r', 'r.1', 'r.2']);
  tree.store('r', 'r.1', 'r.2', 'r');
  const { next } = await treeLog(tree.host, RUN, 0);
  tree.before(
    () => tree.store('r.2', 'r', 'r.1'),
    () => tree.store('r.1', 'r.3', 'r'),
    () => tree.store('r.3', 'r.2'),
  );
  expect(await placesOf(next)).toEqual(upTo(tree.places()));
});

it('merges long logs of many runs, in several turns', async () => {
  const runIds = ['r', ...Array.from({ length: 150 }, (_, index) => `r.${index + 1}`)];
  const tree = growingTree(runIds);
  for (let round = 0; round < 20; round += 1)
    tree.store(...runIds.filter((_, index) => (index + round) % 3 > 0));
  tree.end(...runIds);
  const { next } = await treeLog(tree.host, RUN, 0);
  expect(await placesOf(next)).toEqual(upTo(tree.places()));
  const { next: rest } = await treeLog(tree.host, RUN, 1000);
  expect(await placesOf(rest)).toEqual(upTo(tree.places()).slice(1000));
});

it('ends when the run and all its descendants have ended, and leaves out other runs of the tree', async () => {
  const tree = growingTree(['r.1', 'r.1.1']);
  tree.store('r.1', 'r.1.1');
  const { next, watch } = await treeLog(tree.host, { tenant: 'acme', runId: 'r.1' }, 0);
  tree.store('r.10', 'r.2');
  tree.end('r.1');
  expect(await placesOf(next)).toEqual([1, 2, 5]);
  expect(watch.hasEnded()).toBe(false);
  tree.end('r.1.1');
  expect(await placesOf(next)).toEqual([6]);
  expect(watch.hasEnded()).toBe(true);
  watch.stop();
});
