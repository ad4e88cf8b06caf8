import type { EndedSpan } from '@baton/engine';
import { spanIdOf, traceOfRun } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import {
  boss,
  hand,
  LOOP_EDGES,
  node,
  TERMINATE,
  waitingWorker,
  worker,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { after, answer, child, effect, fork, gate, line, quiet, replay, start } from '../driver/forking.ts';
import { type BenchOptions, CALLER, handClock, startTestEngine } from '../driver/test-engine.ts';
import { drawn, gathering } from './span-tree.ts';

/** The spans of runs of workflows, made from their logs. */

const CALLERS_SPAN = 'b7ad6b7169203331';
const TRACE = '0af7651916cd43dd8448eb211c80319c';

async function traced(options: BenchOptions, ...definitions: readonly unknown[]) {
  const { spans, onSpans } = gathering();
  const host = await startTestEngine({ onSpans, ...options });
  await host.register(...definitions);
  return { host, spans };
}

const named = (spans: readonly EndedSpan[], name: string) => spans.filter((span) => span.name === name);

describe('the spans of a run', () => {
  it('show turns, nodes, handoffs and the runs of workers as one tree', async () => {
    const { host, spans } = await traced(
      {},
      boss([hand('one', 'two'), TERMINATE]),
      worker('one'),
      worker('two'),
    );
    const runId = await start(host, 'boss');
    expect(drawn(spans)).toEqual([
      'invoke_workflow boss',
      '  turn supervisor',
      '  node dispatch',
      '    handoff one',
      '      invoke_workflow one',
      '        node work',
      '    handoff two',
      '      invoke_workflow two',
      '        node work',
      '  turn supervisor',
    ]);
    const [run] = named(spans, 'invoke_workflow boss');
    expect(run).toMatchObject({
      tenant: CALLER.tenant,
      traceId: traceOfRun(runId).traceId,
      spanId: spanIdOf('run', runId),
      kind: 'internal',
      attributes: {
        'gen_ai.operation.name': 'invoke_workflow',
        'gen_ai.workflow.name': 'boss',
        'baton.run.id': runId,
        'baton.run.status': 'completed',
      },
    });
    expect(run).not.toHaveProperty('error');
    expect(
      named(spans, 'turn supervisor').map(({ attributes }) => attributes['baton.decision.kind']),
    ).toEqual(['next-worker', 'terminate']);
  });

  it('begin where the span of the caller is', async () => {
    const { host, spans } = await traced({}, worker('one'));
    const body = { workflowId: 'one' };
    const traceparent = `00-${TRACE}-${CALLERS_SPAN}-01`;
    await host.execute({ kind: 'create-run', caller: CALLER, body, traceparent });
    await quiet();
    expect(drawn(spans, CALLERS_SPAN)).toEqual(['invoke_workflow one', '  node work']);
    expect(spans[0]?.traceId).toBe(TRACE);
  });

  it('are not made for a trace that its caller does not sample', async () => {
    const { host, spans } = await traced({}, worker('one'));
    const body = { workflowId: 'one' };
    const traceparent = `00-${TRACE}-${CALLERS_SPAN}-00`;
    await host.execute({ kind: 'create-run', caller: CALLER, body, traceparent });
    await start(host, 'one');
    expect(spans.map(({ traceId }) => traceId)).not.toContain(TRACE);
    expect(spans).toHaveLength(2);
  });

  it('name the error with which something ended', async () => {
    const broken = line('broken', [node('work', 'core.fail', { code: 'worker_broke', message: 'CANARY' })]);
    const { host, spans } = await traced({}, boss([hand('broken'), TERMINATE]), broken);
    await start(host, 'boss');
    for (const name of ['node work', 'invoke_workflow broken', 'handoff broken']) {
      expect(named(spans, name)).toMatchObject([{ error: 'worker_broke' }]);
    }
    expect(JSON.stringify(spans)).not.toContain('CANARY');
  });

  it('show a worker that could not be started', async () => {
    const { host, spans } = await traced({}, boss([hand('nobody'), TERMINATE]));
    await start(host, 'boss');
    expect(drawn(spans)).toContain('    handoff nobody');
    expect(named(spans, 'handoff nobody')).toMatchObject([{ error: 'worker_not_found' }]);
  });

  it('show critics beside the workers that they judge', async () => {
    const critic = workflow('critic', [node('judge', 'vendor.baton.set', { assign: { verdict: '"pass"' } })]);
    const [supervisor, dispatch] = boss([hand('one'), TERMINATE]).nodes as Record<string, unknown>[];
    const settings = { verifier: { workflowId: 'critic' } };
    const judged = workflow('boss', [supervisor!, { ...dispatch, settings }], { edges: LOOP_EDGES });
    const { host, spans } = await traced({}, judged, worker('one'), critic);
    await start(host, 'boss');
    expect(drawn(spans).filter((name) => name.includes('handoff'))).toEqual([
      '    handoff one',
      '    handoff critic',
    ]);
  });
});

describe('over time', () => {
  it('a span that began before a crash has its own start, and the ids that others named', async () => {
    const { clock, move } = handClock();
    const began = clock.now();
    const definitions = [boss([hand('asks'), TERMINATE]), waitingWorker('asks')];
    const { host, spans } = await traced({ clock }, ...definitions);
    const runId = await start(host, 'boss');
    expect(spans.map(({ name }) => name)).toEqual(['turn supervisor']);
    await move(60_000);
    const again = await host.crash();
    await move(60_000);
    await answer(again, `${runId}.1`, 'gate');
    expect(drawn(spans)).toEqual([
      'invoke_workflow boss',
      '  turn supervisor',
      '  node dispatch',
      '    handoff asks',
      '      invoke_workflow asks',
      '        node gate',
      '          interrupt approval',
      '  turn supervisor',
    ]);
    for (const { name, startedAt, endedAt } of spans.filter(({ name }) => !name.startsWith('turn'))) {
      expect([name, startedAt, endedAt]).toEqual([name, began, began + 120_000]);
    }
  });

  it('each attempt of a node and each effect is one span, whatever became of it', async () => {
    let calls = 0;
    const perform: BenchOptions['perform'] = async () => {
      calls += 1;
      if (calls > 1) return { kind: 'done', outputs: {} };
      return { kind: 'failed', error: { code: 'not_now', message: 'Later.' } };
    };
    const { clock, move } = handClock();
    const again = line('again', [
      effect('call', { settings: { retry: { maxRetries: 1, backoffMs: 1000 } } }),
    ]);
    const { host, spans } = await traced({ clock, perform }, again);
    const runId = await start(host, 'again');
    await move(10_000);
    await quiet();
    expect(await host.status(runId)).toBe('completed');
    expect(drawn(spans).map((name) => name.trim().split(' ')[0])).toEqual([
      'invoke_workflow',
      'node',
      'effect',
      'node',
      'effect',
    ]);
    expect(spans.map(({ error }) => error)).toEqual(['not_now', 'not_now', undefined, undefined, undefined]);
  });

  it('a cancelled run ends everything that it had begun', async () => {
    const perform = () => new Promise<never>(() => undefined);
    const parallel = workflow('busy', [effect('call'), gate('gate'), child('child', 'asks')]);
    const { host, spans } = await traced({ perform }, parallel, waitingWorker('asks'));
    const runId = await start(host, 'busy');
    expect(spans).toEqual([]);
    await host.execute({ kind: 'cancel-run', caller: CALLER, runId });
    await quiet();
    const names = drawn(spans).map((name) => name.trim());
    expect(names.filter((name) => !name.startsWith('effect')).sort()).toEqual([
      'handoff asks',
      'interrupt approval',
      'interrupt approval',
      'invoke_workflow asks',
      'invoke_workflow busy',
      'node call',
      'node child',
      'node gate',
      'node gate',
    ]);
    expect(spans.find(({ name }) => name.startsWith('effect'))).toMatchObject({ error: 'aborted' });
  });
});

describe('a child that no node waits for', () => {
  const above = line('above', [child('call', 'asks', { waitForCompletion: false }), gate('gate')]);
  const parentOf = (spans: readonly EndedSpan[], name: string) => {
    const { parentSpanId } = named(spans, name)[0]!;
    return spans.filter(({ spanId }) => spanId === parentSpanId).map((span) => span.name);
  };

  it('has a handoff until its own end, or until the end of its parent', async () => {
    for (const isCancelled of [false, true]) {
      const { host, spans } = await traced({}, above, waitingWorker('asks'));
      const runId = await start(host, 'above');
      if (isCancelled) await host.execute({ kind: 'cancel-run', caller: CALLER, runId });
      await answer(host, `${runId}.1`, 'gate');
      if (!isCancelled) await answer(host, runId, 'gate');
      expect(named(spans, 'handoff asks')).toHaveLength(1);
      expect(parentOf(spans, 'invoke_workflow asks')).toEqual(['handoff asks']);
      expect(parentOf(spans, 'handoff asks')).toEqual(['node call']);
    }
  });

  it('has a handoff in a branch too, although its node ended in the source', async () => {
    const { host, spans } = await traced({}, above, waitingWorker('asks'));
    const runId = await start(host, 'above');
    const fromSeq = await after(host, runId, 'interrupt.requested');
    const branch = await fork(host, runId, { mode: 'branch', fromSeq });
    spans.length = 0;
    await answer(host, `${branch}.1`, 'gate');
    await answer(host, branch, 'gate');
    expect(parentOf(spans, 'handoff asks')).toEqual(['invoke_workflow above']);
  });
});

describe('forks', () => {
  it('a replay has no spans', async () => {
    const { host, spans } = await traced(
      {},
      line('above', [child('child', 'one'), effect('call')]),
      worker('one'),
    );
    const runId = await start(host, 'above');
    const made = spans.length;
    expect(made).toBeGreaterThan(4);
    const again = await replay(host, runId);
    expect(await host.status(again)).toBe('completed');
    expect(spans).toHaveLength(made);
  });

  it('a branch is a trace of its own, which begins when it was made', async () => {
    const { clock, move } = handClock();
    const { host, spans } = await traced({ clock }, waitingWorker('asks'));
    const runId = await start(host, 'asks');
    await move(60_000);
    // The gate is open already, in the source and in the branch.
    const fromSeq = (await host.events(runId)).length;
    const branch = await fork(host, runId, { mode: 'branch', fromSeq });
    spans.length = 0;
    await move(1000);
    await answer(host, branch, 'gate');
    expect(drawn(spans)).toEqual(['invoke_workflow asks', '  node gate', '    interrupt approval']);
    const { traceId } = traceOfRun(branch);
    for (const span of spans) {
      expect(span).toMatchObject({ traceId, startedAt: clock.now() - 1000, endedAt: clock.now() });
    }
    expect(named(spans, 'invoke_workflow asks')[0]?.attributes).toMatchObject({
      'baton.fork.source.run.id': runId,
    });
  });
});
