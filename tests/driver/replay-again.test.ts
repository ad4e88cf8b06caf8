import { describe, expect, it } from 'vitest';
import {
  boss,
  hand,
  look,
  node,
  remember,
  TERMINATE,
  worker,
} from '../../packages/engine/src/testkit/workflows.ts';
import {
  after,
  answer,
  child,
  effect,
  expectSameFrom,
  fork,
  gate,
  line,
  quiet,
  replay,
  retry,
  start,
} from './forking.ts';
import { type Bench, CALLER, startTestEngine } from './test-engine.ts';

/** Replays of runs that are not simple: each does again what its source did, and nothing else. */

describe('a replay does the same', () => {
  it('with an outcome that came when its time was already over', async () => {
    let now = Date.UTC(2026, 0, 1);
    let comeBack = () => {};
    const top = await startTestEngine({
      clock: { now: () => now, at: () => () => {} },
      perform: async () => {
        await new Promise<void>((resolve) => {
          comeBack = resolve;
        });
        return { kind: 'done', outputs: { answer: 1 } };
      },
    });
    await top.register(
      line('late', [effect('call', { settings: { timeoutMs: 1000 } }), node('end', 'core.noop')]),
    );
    const source = await start(top, 'late');
    now += 5000;
    comeBack();
    await quiet();
    expect(await top.status(source)).toBe('completed');
    await expectSameFrom(top, source);
  });

  it('with a child that was cancelled where one page of its log ends', async () => {
    const top = await startTestEngine();
    const steps = Array.from({ length: 126 }, (_, at) => node(`step${at}`, 'core.noop'));
    await top.register(
      line('parent', [child('call', 'worker', { onChildFailure: 'absorb' })]),
      line('worker', [...steps, gate('ask')]),
    );
    const source = await start(top, 'parent');
    await top.execute({ kind: 'cancel-run', caller: CALLER, runId: `${source}.1`, reason: 'enough' });
    await quiet();
    expect(await top.status(source)).toBe('completed');
    expect(await top.events(`${source}.1`)).toHaveLength(258);
    await expectSameFrom(top, source, [0]);
  });

  it('with a node that had to wait until what it reads was stored', async () => {
    let now = Date.UTC(2026, 0, 1);
    const top = await startTestEngine({
      clock: { now: () => now, at: () => () => {} },
      wrap: (store) => ({
        ...store,
        commit: (slices) => {
          now += 7;
          return store.commit(slices);
        },
      }),
    });
    const file = { path: 'a.md' };
    await top.register(
      line('waits', [
        node('put', 'vendor.baton.workspace.write', { ...file, content: 'x' }),
        node('get', 'vendor.baton.workspace.read', file),
      ]),
    );
    const source = await start(top, 'waits');
    expect(await top.status(source)).toBe('completed');
    await expectSameFrom(top, source);
  });

  it('with an entry of memory that is found by the id it was given', async () => {
    const top = await startTestEngine();
    const key = { type: 'connection', nodeId: 'write', outputKey: 'memoryId' };
    await top.register(
      line('notes', [
        remember('write', { content: 'x' }),
        node('read', 'vendor.baton.memory.read', { into: 'found' }, { inputs: { key } }),
      ]),
    );
    const source = await start(top, 'notes');
    expect(JSON.stringify((await top.events(source)).at(-2)?.payload)).toContain('"content":"x"');
    await expectSameFrom(top, source);
  });

  it.each(['write-then-read', 'cross-tenant-probe', 'ttl-probe'])(
    'with a %s, also as the replay of a replay',
    async (memoryAction) => {
      const top = await startTestEngine();
      await top.register(
        line('probes', [node('probe', 'core.identity', { memoryAction })]),
        line('parent', [child('call', 'probes')]),
      );
      const source = await start(top, 'parent');
      expect(await top.status(source)).toBe('completed');
      await expectSameFrom(top, source);
      await expectSameFrom(top, `${source}.1`);
      const first = await replay(top, source, 1);
      await expectSameFrom(top, first, undefined, [source]);
    },
  );
});

describe('a replay on a host that was set up differently', () => {
  it('gives its children what the source’s children were given', async () => {
    const top = await startTestEngine();
    await top.register(
      line('parent', [child('call', 'boss')]),
      boss([hand('good'), TERMINATE]),
      worker('good'),
    );
    const source = await start(top, 'parent');
    await top.execute({ kind: 'toggle-capability', name: 'multiAgent.executionModel', value: false });
    await expectSameFrom(top, source, [0]);
    const again = await top.crash({ limits: { nodeExecutions: 500 } });
    await expectSameFrom(again, source, [0]);
  });
});

/** Remembers, asks, and has a child that does the same. */
const FAMILY = [
  line('parent', [
    remember('note', { key: 'note', content: 'x' }),
    gate('before'),
    child('call', 'worker'),
    gate('behind'),
    look('look'),
    remember('last', { key: 'last', content: 'x' }),
  ]),
  line('worker', [look('look'), remember('own', { key: 'own', content: 'x' }), gate('ask'), effect('act')]),
];

/** Answers whatever is asked, until nothing is. */
async function liveThrough(top: Bench, runId: string): Promise<void> {
  for (;;) {
    const open = (await top.reads.interrupts(CALLER.tenant, 100)).items.find((one) => one.rootId === runId);
    if (open === undefined) break;
    await answer(top, open.runId, open.nodeId);
  }
  expect(await top.status(runId)).toBe('completed');
}

describe('a replay of a run that is itself a fork', () => {
  it('follows a replay, with what that saw of memory', async () => {
    const top = await startTestEngine();
    await top.register(...FAMILY);
    const source = await start(top, 'parent');
    await liveThrough(top, source);
    const whole = await replay(top, source);
    await expectSameFrom(top, whole, undefined, [source]);
    const part = await replay(top, source, await after(top, source, 'node.dispatched'));
    await expectSameFrom(top, part, undefined, [source]);
    await expectSameFrom(top, await replay(top, whole), [0, 1, 8, 12], [whole, source]);
  });

  it.each([
    ['from its beginning', () => 0],
    ['from before its child', (top: Bench, runId: string) => after(top, runId, 'node.suspended', 'before')],
    ['from while its child was there', (top: Bench, runId: string) => after(top, runId, 'node.dispatched')],
    ['from after its child', (top: Bench, runId: string) => after(top, runId, 'node.suspended', 'behind')],
  ] as const)('follows a branch %s', async (_name, cut) => {
    const top = await startTestEngine();
    await top.register(...FAMILY);
    const source = await start(top, 'parent', { scopeId: 'desk' });
    await liveThrough(top, source);
    const runOptionsOverlay = { variables: { changed: true } };
    const branch = await fork(top, source, {
      mode: 'branch',
      fromSeq: await cut(top, source),
      runOptionsOverlay,
    });
    await liveThrough(top, branch);
    await expectSameFrom(top, branch, undefined, [source]);
    const again = await fork(top, branch, { mode: 'branch', fromSeq: (await cut(top, branch)) + 1 });
    await liveThrough(top, again);
    await expectSameFrom(top, again, undefined, [branch, source]);
  });

  it('follows a retry', async () => {
    let calls = 0;
    const top = await startTestEngine({
      perform: async () => {
        calls += 1;
        return calls === 1
          ? { kind: 'failed', error: { code: 'outside_broke', message: 'as told' } }
          : { kind: 'done', outputs: { calls } };
      },
    });
    await top.register(
      line('acts', [remember('note', { key: 'k', content: 'x' }), effect('act'), look('look')]),
    );
    const source = await start(top, 'acts');
    const again = await retry(top, source);
    expect(await top.status(again)).toBe('completed');
    await expectSameFrom(top, again, undefined, [source]);
  });
});
