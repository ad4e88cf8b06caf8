import { setVariables } from '@baton/conformance/engine';
import { newSigningKey, type Slice, type Store, signingKey } from '@baton/engine';
import { describe, expect, it } from 'vitest';
import { delayingStore } from '../../packages/conformance/src/store-contract/delaying-store.ts';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { seededRandom } from '../durability/random.ts';
import { answerTo, type Bench, CALLER, creationOf, runIdOf, startTestEngine } from './test-engine.ts';

/** The driver over a store whose answers take time: jobs of other trees go on meanwhile. */

const ASKS = workflow('asks', [node('ask', 'core.approvalGate', { title: 'Go on?' })], {
  variables: [{ name: 'x', type: 'number' }],
});

async function turns(share: number): Promise<void> {
  for (let turn = Math.ceil(share * 80); turn > 0; turn -= 1)
    await new Promise((resolve) => setImmediate(resolve));
}

/** Counts the calls that are under way at the same time, and notes every group of slices. */
function observed(store: Store) {
  const seen = { loading: 0, mostLoading: 0, groups: [] as (readonly Slice[])[], overlaps: [] as string[] };
  const busy = new Set<string>();
  const wrapped: Store = {
    ...store,
    async loadTree(rootId) {
      seen.loading += 1;
      seen.mostLoading = Math.max(seen.mostLoading, seen.loading);
      if (busy.has(rootId)) seen.overlaps.push(rootId);
      try {
        return await store.loadTree(rootId);
      } finally {
        seen.loading -= 1;
      }
    },
    async commit(slices) {
      seen.groups.push(slices);
      const roots = slices.map(({ rootId }) => rootId);
      for (const rootId of roots) {
        if (busy.has(rootId)) seen.overlaps.push(rootId);
        busy.add(rootId);
      }
      const results = await store.commit(slices);
      for (const rootId of roots) busy.delete(rootId);
      return results;
    },
  };
  return { wrapped, seen };
}

async function waitingRuns(host: Bench, count: number): Promise<readonly string[]> {
  await host.register(ASKS);
  return Promise.all(Array.from({ length: count }, () => host.create('asks')));
}

const answer = (host: Bench, runId: string) => host.execute(answerTo(runId, 'ask'));

/** A host that has just started, so that no tree is in its memory. */
async function coldHost(wrap: (store: Store) => Store, runs: number) {
  const before = await startTestEngine();
  const runIds = await waitingRuns(before, runs);
  return { host: await before.crash({ wrap }), runIds };
}

describe('over a slow store', () => {
  it('many trees load at the same time, and their slices are stored together', async () => {
    const random = seededRandom(1).next;
    let seen: ReturnType<typeof observed>['seen'] | undefined;
    const { host, runIds } = await coldHost((store) => {
      const watching = observed(delayingStore(store, { random, wait: turns }));
      seen = watching.seen;
      return watching.wrapped;
    }, 60);
    const groupsBefore = seen?.groups.length ?? 0;
    const replies = await Promise.all(runIds.map((runId) => answer(host, runId)));
    expect(replies.every(({ ok }) => ok)).toBe(true);
    expect(await Promise.all(runIds.map((runId) => host.status(runId)))).toEqual(
      runIds.map(() => 'completed'),
    );
    expect(seen?.mostLoading).toBeGreaterThan(20);
    expect((seen?.groups.length ?? 0) - groupsBefore).toBeLessThan(30);
    expect(seen?.overlaps).toEqual([]);
  });

  it('the jobs of one tree follow each other, in the order they came', async () => {
    const random = seededRandom(2).next;
    let seen: ReturnType<typeof observed>['seen'] | undefined;
    const { host, runIds } = await coldHost((store) => {
      const watching = observed(delayingStore(store, { random, wait: turns }));
      seen = watching.seen;
      return watching.wrapped;
    }, 1);
    const [runId = ''] = runIds;
    const set = (x: number) => host.execute(setVariables(CALLER, runId, { x }));
    const replies = await Promise.all([set(1), set(2), set(3), answer(host, runId)]);
    expect(replies.map(({ ok }) => ok)).toEqual([true, true, true, true]);
    const events = await host.events(runId);
    const written = events.flatMap((event) =>
      event.type === 'variable.changed' ? [event.payload.next] : [],
    );
    expect(written).toEqual([1, 2, 3]);
    expect(events.at(-1)?.type).toBe('run.completed');
    expect(seen?.overlaps).toEqual([]);
  });

  it('commands of another tenant do not keep a tree from its own tenant', async () => {
    const random = seededRandom(6).next;
    const host = await startTestEngine({
      wrap: (store) => delayingStore(store, { random, wait: turns }),
    });
    const [runId = ''] = await waitingRuns(host, 1);
    const answered: string[] = [];
    const stranger = { tenant: 'other', principal: 'o' };
    const strangers = Array.from({ length: 40 }, async () => {
      const reply = await host.execute({ kind: 'cancel-run', caller: stranger, runId });
      answered.push(reply.ok ? 'cancelled' : reply.error.error);
    });
    // All of them have left the queue before the answer comes.
    await new Promise((resolve) => setImmediate(resolve));
    await answer(host, runId).then(({ ok }) => answered.push(`answered ${ok}`));
    const before = answered.length - 1;
    await Promise.all(strangers);
    expect(before).toBeLessThan(20);
    expect(new Set(answered)).toEqual(new Set(['answered true', 'not_found']));
    expect(await host.status(runId)).toBe('completed');
  });

  it('a request that comes twice at the same time is carried out once', async () => {
    const random = seededRandom(3).next;
    const host = await startTestEngine({
      wrap: (store) => delayingStore(store, { random, wait: turns }),
    });
    await host.register(ASKS);
    const create = { ...creationOf('asks'), idempotency: { key: 'k', request: 'r' } };
    const replies = await Promise.all([1, 2, 3].map(() => host.execute(create)));
    expect(new Set(replies.map(runIdOf)).size).toBe(1);
    expect(replies.filter((reply) => reply.ok && reply.replayed)).toHaveLength(2);
    expect((await host.reads.runs({ tenant: CALLER.tenant, limit: 10 })).items).toHaveLength(1);
  });

  it('no tree is in hand while the store does not answer, however often its job waits', async () => {
    const told: string[] = [];
    let stuck: (() => void)[] = [];
    let hangs = false;
    const before = await startTestEngine();
    const [runId = ''] = await waitingRuns(before, 1);
    const host = await before.crash({
      wrap: (store) =>
        delayingStore(store, {
          random: () => 0,
          wait: async () => {
            if (hangs) await new Promise<void>((resolve) => void stuck.push(resolve));
          },
        }),
      inHand: {
        take: ({ rootId = 'a new tree' }) => void told.push(rootId),
        putDown: () => void told.push('nothing'),
      },
    });
    hangs = true;
    const whenStuck: (string | undefined)[] = [];
    let replied = false;
    const reply = answer(host, runId).finally(() => {
      replied = true;
    });
    while (!replied) {
      await turns(0.05);
      if (stuck.length > 0) whenStuck.push(told.at(-1));
      const released = stuck;
      stuck = [];
      for (const release of released) release();
    }
    hangs = false;
    expect((await reply).ok).toBe(true);
    expect(told.filter((tree) => tree === runId).length).toBeGreaterThan(1);
    expect(new Set(whenStuck)).toEqual(new Set(['nothing']));
  });

  it('a run is not erased while it is being forked', async () => {
    const random = seededRandom(5).next;
    const host = await startTestEngine({
      auditKey: signingKey(newSigningKey(), 'a test'),
      wrap: (store) => delayingStore(store, { random, wait: turns }),
    });
    await host.register(workflow('plain', [node('one', 'core.noop'), node('two', 'core.noop')]));
    const outcomes = new Set<string>();
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const runId = await host.create('plain');
      const fork = host.execute({
        kind: 'fork-run',
        caller: CALLER,
        runId,
        body: { mode: 'branch', fromSeq: 2 },
      });
      await turns(random());
      const erase = host.execute({ kind: 'erase-run', caller: CALLER, runId, reason: 'asked to' });
      const [forked, erased] = await Promise.all([fork, erase]);
      outcomes.add(`${forked.ok} ${erased.ok ? 'erased' : erased.error.error}`);
    }
    expect([...outcomes]).toEqual(['true run_has_forks']);
  });
});
