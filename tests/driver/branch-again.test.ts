import type { RunEvent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import {
  boss,
  edge,
  hand,
  LOOP_EDGES,
  look,
  node,
  remember,
  TERMINATE,
  waitingWorker,
  worker,
  workflow,
} from '../../packages/engine/src/testkit/workflows.ts';
import { verifies } from '../verifies.ts';
import { after, answer, child, effect, expectSameFrom, fork, gate, line, retry, start } from './forking.ts';
import { type Bench, CALLER, handClock, startTestEngine } from './test-engine.ts';

/** Branches and retries where something more than one run, one time or one scope is involved. */

const last = async <T extends RunEvent['type']>(top: Bench, runId: string, type: T) =>
  (await top.events(runId)).findLast((event): event is Extract<RunEvent, { type: T }> => event.type === type);

/** The ids that the run found when it last looked. */
async function found(top: Bench, runId: string): Promise<readonly string[]> {
  const entries = (await last(top, runId, 'variable.changed'))?.payload.next as { id: string }[] | undefined;
  return entries?.map(({ id }) => id) ?? [];
}

describe('time in a branch', () => {
  it('leaves a child the time that it had left when its parent was cut', async () => {
    const time = handClock();
    const top = await startTestEngine({ clock: time.clock });
    const data = { eventType: 'paid', correlation: {} };
    const nodes = [child('call', 'waits'), node('wait', 'core.delay', { ms: 50_000 }), gate('ask')];
    await top.register(
      workflow('parent', nodes, { edges: [edge('wait', 'ask')] }),
      line('waits', [node('pay', 'core.interrupt', { kind: 'external-event', data, timeoutMs: 60_000 })]),
    );
    const source = await start(top, 'parent');
    await time.move(50_000);
    await time.move(500_000);
    const fromSeq = await after(top, source, 'node.suspended', 'ask');
    const branch = await fork(top, source, { mode: 'branch', fromSeq });
    await time.move(9000);
    expect(await top.status(`${branch}.1`)).toBe('waiting-external');
    await time.move(2000);
    expect(await top.status(`${branch}.1`)).toBe('failed');
  });

  it('judges what a child remembers at the cut of its parent', async () => {
    verifies('MEM-17');
    const time = handClock();
    const top = await startTestEngine({ clock: time.clock });
    const nodes = [
      remember('note', { key: 'k', content: 'x', ttlSeconds: 30 }),
      child('call', 'waits'),
      node('wait', 'core.delay', { ms: 50_000 }),
      gate('ask'),
    ];
    await top.register(
      workflow('parent', nodes, { edges: [edge('note', 'call'), edge('note', 'wait'), edge('wait', 'ask')] }),
      line('waits', [gate('hold'), look('look')]),
    );
    const source = await start(top, 'parent');
    await time.move(50_000);
    const fromSeq = await after(top, source, 'node.suspended', 'ask');
    const branch = await fork(top, source, { mode: 'branch', fromSeq });
    await answer(top, `${source}.1`, 'hold');
    await answer(top, `${branch}.1`, 'hold');
    expect(await found(top, `${source}.1`)).toEqual([]);
    expect(await found(top, `${branch}.1`)).toEqual([]);
  });

  it('judges it at the beginning of its source when it begins again', async () => {
    verifies('MEM-17');
    const time = handClock();
    const top = await startTestEngine({ clock: time.clock });
    await top.register(
      line('writes', [remember('note', { key: 'k', content: 'x', ttlSeconds: 30 })]),
      line('reads', [look('look')]),
    );
    await start(top, 'writes', { scopeId: 'desk' });
    const source = await start(top, 'reads', { scopeId: 'desk' });
    await time.move(60_000);
    for (const fromSeq of [0, 1]) {
      expect(await found(top, await fork(top, source, { mode: 'branch', fromSeq }))).toEqual(['k']);
    }
  });
});

describe('a branch', () => {
  it('of a child’s child in a named scope begins again with what that began with', async () => {
    verifies('MEM-09');
    const top = await startTestEngine();
    const notes = ['one', 'two', 'three'].map((key) => remember(key, { key, content: 'x' }));
    await top.register(
      line('root', [...notes, child('call', 'middle')]),
      line('middle', [remember('note', { key: 'middle', content: 'x' }), child('call', 'leaf')]),
      line('leaf', [look('look')]),
    );
    const source = `${await start(top, 'root', { scopeId: 'desk' })}.1.1`;
    expect(await found(top, source)).toHaveLength(4);
    for (const fromSeq of [0, 1, 2]) {
      const branch = await fork(top, source, { mode: 'branch', fromSeq });
      expect(await found(top, branch)).toEqual(await found(top, source));
    }
  });

  it.each([0, 5])('from %i has the limits that its caller asks for, within the host’s', async (fromSeq) => {
    const top = await startTestEngine();
    await top.register(boss([hand('good'), hand('good'), hand('good'), TERMINATE]), worker('good'));
    const source = await start(top, 'boss', { configurable: { maxLoopIterations: 2 } });
    expect(await top.status(source)).toBe('failed');
    const looser = { configurable: { maxLoopIterations: 10 } };
    const branch = await fork(top, source, { mode: 'branch', fromSeq, runOptionsOverlay: looser });
    expect(await top.status(branch)).toBe('completed');
    await expectSameFrom(top, branch, undefined, [source]);
    const stricter = { configurable: { maxLoopIterations: 3 } };
    const again = await fork(top, branch, { mode: 'branch', fromSeq, runOptionsOverlay: stricter });
    expect(await top.status(again)).toBe('failed');
  });

  it.each([0, 1])('from %i refuses a variable of the wrong type', async (fromSeq) => {
    const top = await startTestEngine();
    await top.register(worker('typed', { count: 1 }));
    const source = await start(top, 'typed');
    const reply = await top.execute({
      kind: 'fork-run',
      caller: CALLER,
      runId: source,
      body: { mode: 'branch', fromSeq, runOptionsOverlay: { variables: { count: 'many' } } },
    });
    expect(reply).toMatchObject({
      ok: false,
      error: { error: 'validation_error', details: { field: 'runOptionsOverlay.variables.count' } },
    });
  });
});

describe('a retry', () => {
  it('of a dispatch node begins before it took its decision', async () => {
    const time = handClock();
    const top = await startTestEngine({ clock: time.clock });
    const nodes = [
      node('supervisor', 'core.orchestrator.supervisor', { mockDispatchPlan: [hand('asks'), TERMINATE] }),
      node(
        'dispatch',
        'core.dispatch',
        { outputMapping: { got: 'result' } },
        { settings: { timeoutMs: 1000 } },
      ),
    ];
    await top.register(
      workflow('boss', nodes, { edges: LOOP_EDGES }),
      waitingWorker('asks', { result: 'asked' }),
    );
    const source = await start(top, 'boss');
    await time.move(2000);
    expect((await last(top, source, 'run.failed'))?.payload.failedNodeId).toBe('dispatch');
    const again = await retry(top, source);
    expect(await top.status(again)).toBe('waiting-approval');
    await answer(top, `${again}.1`, 'gate');
    expect(await top.status(again)).toBe('completed');
    expect((await last(top, again, 'variable.changed'))?.payload.next).toBe('asked');
    await expectSameFrom(top, again, undefined, [source]);
  });

  it('says why there is nothing to try again', async () => {
    const top = await startTestEngine();
    await top.register(boss([hand('good'), TERMINATE]), worker('good'));
    const source = await start(top, 'boss', { configurable: { maxLoopIterations: 1 } });
    const reply = await top.execute({ kind: 'retry-run', caller: CALLER, runId: source, body: {} });
    expect(reply).toMatchObject({ ok: false, error: { error: 'run_state_conflict' } });
    expect(JSON.stringify(reply)).toContain('loop_limit_exceeded');
  });

  it('goes on with what ran beside the node that failed', async () => {
    let broken = true;
    const held: (() => void)[] = [];
    const top = await startTestEngine({
      perform: async ({ nodeId }) => {
        if (nodeId === 'slow') await new Promise<void>((resolve) => held.push(resolve));
        return nodeId === 'act' && broken
          ? { kind: 'failed', error: { code: 'outside_broke', message: 'as told' } }
          : { kind: 'done', outputs: {} };
      },
    });
    const nodes = [gate('first'), effect('act'), effect('slow'), child('call', 'asks'), gate('beside')];
    await top.register(workflow('wide', nodes, { edges: [edge('first', 'act')] }), waitingWorker('asks'));
    const source = await start(top, 'wide');
    await answer(top, source, 'first');
    expect([await top.status(source), await top.status(`${source}.1`)]).toEqual(['failed', 'cancelled']);
    broken = false;
    const again = await retry(top, source);
    for (const comeBack of held) comeBack();
    await answer(top, again, 'beside');
    await answer(top, `${again}.1`, 'gate');
    expect(await top.status(again)).toBe('completed');
    expect([await top.status(source), await top.status(`${source}.1`)]).toEqual(['failed', 'cancelled']);
    await expectSameFrom(top, again, undefined, [source]);
  });

  it.each([
    ['its first event', 1],
    ['the retry of a retry', 2],
  ])('is branched before the whole step that failed: %s', async (_, times) => {
    const performed: string[] = [];
    let broken = times;
    const top = await startTestEngine({
      perform: async ({ nodeId, attempt }) => {
        performed.push(`${nodeId}/${attempt}`);
        return nodeId === 'act' && broken-- > 0
          ? { kind: 'failed', error: { code: 'outside_broke', message: 'as told' } }
          : { kind: 'done', outputs: {} };
      },
    });
    await top.register(line('acts', [effect('act')]));
    let run = await start(top, 'acts');
    const outcome = (await last(top, run, 'baton.effect.settled'))?.sequence ?? -1;
    for (let n = 0; n < times; n += 1) run = await retry(top, run);
    expect(await top.status(run)).toBe('completed');
    const first = (await top.events(run)).find(({ type }) => type === 'baton.run.branched')?.sequence ?? -1;
    expect(first).toBe(outcome + 1);
    performed.length = 0;
    const branch = await fork(top, run, { mode: 'branch', fromSeq: first });
    expect(performed).toEqual(['act/1']);
    expect((await top.events(branch))[outcome]).toMatchObject({
      type: 'baton.run.branched',
      payload: { fromSeq: outcome },
    });
    expect(await top.status(branch)).toBe('completed');
    await expectSameFrom(top, branch, undefined, [run]);
  });
});
