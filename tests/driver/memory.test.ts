import type { Slice, SliceResult } from '@baton/engine';
import type { Json, RunEvent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import {
  boss,
  declare,
  edge,
  hand,
  LOOP_EDGES,
  look,
  node,
  remember,
  rememberingWorker,
  TERMINATE,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { verifies } from '../verifies.ts';
import { gate, line } from './forking.ts';
import { answerTo, type Bench, CALLER, handClock, runIdOf, settled, startTestEngine } from './test-engine.ts';

/** Memory through the driver and the store: what was written is there after a commit, a conflict and a crash. */

const outputs = async (host: Bench, runId: string, nodeId: string) =>
  (await host.of(runId, 'node.completed')).find((event) => event.nodeId === nodeId)?.payload.outputs;
const entries = async (host: Bench, runId: string, nodeId: string) =>
  ((await outputs(host, runId, nodeId))?.entries as { id: string; content: string }[] | undefined)?.map(
    ({ id }) => id,
  );

const start = (host: Bench, workflowId: string, inputs: Record<string, Json> = {}, tenant = CALLER.tenant) =>
  host.execute({
    kind: 'create-run',
    caller: { ...CALLER, tenant },
    body: { workflowId, inputs, scopeId: 'desk' },
  });

const answer = (host: Bench, runId: string, nodeId: string) => host.execute(answerTo(runId, nodeId));

/** Until nothing moves by itself any more, however many slices that takes. */
async function quiet(host: Bench, ...runIds: readonly string[]): Promise<void> {
  const statuses = () => Promise.all(runIds.map((runId) => host.status(runId)));
  do await settled();
  while ((await statuses()).some((status) => ['pending', 'running'].includes(status ?? 'running')));
}

const keyFromInput = { inputs: { key: { type: 'variable', variableName: 'key' } } };

describe('memory through the driver', () => {
  it('READ-28 is read back by the run that wrote it, once it is stored', async () => {
    const host = await startTestEngine();
    await host.register(line('notes', [remember('w', { key: 'k', content: 'x' }), look('r')]));
    const runId = await host.create('notes');
    await quiet(host, runId);
    expect(await host.status(runId)).toBe('completed');
    expect(await entries(host, runId, 'r')).toEqual(['k']);
    expect(
      await host.reads.memory({
        tenant: CALLER.tenant,
        view: [{ scope: `run:${runId}`, version: 1 }],
        now: Date.now(),
        limit: 10,
      }),
    ).toMatchObject([{ id: 'k', content: 'x', by: { runId, nodeId: 'w' } }]);
  });

  it('waits for a slice of the same round that is not stored yet', async () => {
    const host = await startTestEngine();
    const nodes = [gate('one'), gate('two'), remember('w', { key: 'k', content: 'x' }), look('r')];
    await host.register(workflow('pair', nodes, { edges: [edge('one', 'w'), edge('two', 'r')] }));
    const runs: string[] = [];
    while (runs.length < 20) runs.push(await host.create('pair'));
    await quiet(host, ...runs);
    // All at once, so that both answers of a run come into the same round.
    await Promise.all(runs.flatMap((runId) => [answer(host, runId, 'one'), answer(host, runId, 'two')]));
    await quiet(host, ...runs);
    expect(await Promise.all(runs.map((runId) => host.status(runId)))).toEqual(runs.map(() => 'completed'));
    expect(await Promise.all(runs.map((runId) => entries(host, runId, 'r')))).toEqual(runs.map(() => ['k']));
    expect(host.logged).toEqual([]);
  });

  it('MEM-05 MEM-06 SCEN-07 counts a time to live from the write, by the injected clock', async () => {
    const { clock, move } = handClock();
    const host = await startTestEngine({ clock });
    await host.register(
      line('parent', [
        node('sub', 'core.subWorkflow', { workflowId: 'child' }),
        look('fresh'),
        node('wait', 'core.delay', { delayMs: 60_000 }),
        look('stale'),
      ]),
      line('child', [
        node('later', 'core.delay', { delayMs: 10_000 }),
        remember('note', { key: 'k', content: 'x', ttlSeconds: 60 }),
      ]),
    );
    const runId = await host.create('parent');
    await move(10_000);
    const [written] = await host.of(`${runId}.1`, 'memory.written');
    expect(written?.payload.expiresAt).toBe('2026-01-01T00:01:10.000Z');
    expect(await entries(host, runId, 'fresh')).toEqual(['k']);
    await move(60_000);
    expect(await entries(host, runId, 'stale')).toEqual([]);
  });

  it('STATE-07 STATE-08 shows a supervisor its transcript and its memory from the store', async () => {
    const host = await startTestEngine();
    const decide =
      'size(turn.memory) > 1 ? {"kind": "terminate", "reason": turn.transcript[size(turn.transcript) - 1].type} : {"kind": "next-worker", "nextWorkerIds": ["w"]}';
    await host.register(
      workflow(
        'boss',
        [
          node('supervisor', 'core.orchestrator.supervisor', {}, { settings: { decide } }),
          node('dispatch', 'core.dispatch'),
        ],
        { edges: LOOP_EDGES },
      ),
      workflow('w', [remember('n', { content: 'x' })]),
    );
    const runId = await host.create('boss');
    await quiet(host, runId);
    expect((await host.of(runId, 'runOrchestrator.decided')).map(({ payload }) => payload.decision)).toEqual([
      hand('w'),
      hand('w'),
      { kind: 'terminate', reason: 'node.completed' },
    ]);
    const turns = (await host.of(runId, 'node.started')).flatMap(({ payload }) => payload.turn ?? []);
    expect(turns.map((turn) => turn.memory?.version)).toEqual([undefined, 1, 2]);
  });

  it('MEM-15 asks nothing of the store for a plain loop but the state of the workspace', async () => {
    const asked: string[] = [];
    const host = await startTestEngine({
      wrap: (store) => ({
        ...store,
        memory: (query) => {
          asked.push('memory');
          return store.memory(query);
        },
        placedEvents: (...window) => {
          asked.push('events');
          return store.placedEvents(...window);
        },
        scope: (tenant, scope) => {
          asked.push(scope);
          return store.scope(tenant, scope);
        },
      }),
    });
    await host.register(boss([hand('w'), hand('w'), TERMINATE]), workflow('w', [node('n', 'core.noop')]));
    await quiet(host, await host.create('boss'));
    expect([...new Set(asked)]).toEqual(['workspace:default']);
  });
});

const SOMEBODY_ELSES: Slice = {
  rootId: 'elsewhere',
  runs: [],
  memory: [
    {
      kind: 'write',
      tenant: CALLER.tenant,
      scope: 'scope:desk',
      expectedVersion: 0,
      at: 0,
      by: {},
      id: 'theirs',
      content: 'y',
      tags: [],
    },
  ],
};

describe('a scope that several runs write', () => {
  it('loses nothing when they write at the same time, and each sees all that came before it', async () => {
    verifies('MEM-07');
    const host = await startTestEngine();
    await host.register(
      line('writer', [remember('w', { content: 'x' }, keyFromInput), look('r')], {
        variables: declare({ key: undefined }),
      }),
    );
    const keys = Array.from({ length: 12 }, (_, at) => `k${at}`);
    const replies = await Promise.all(keys.map((key) => start(host, 'writer', { key })));
    const runs = replies.map(runIdOf);
    await quiet(host, ...runs);
    expect(await Promise.all(runs.map((runId) => host.status(runId)))).toEqual(runs.map(() => 'completed'));
    expect((await host.reads.scope(CALLER.tenant, 'scope:desk'))?.version).toBe(12);
    const written = await Promise.all(runs.map((runId) => host.of(runId, 'memory.written')));
    const versions = written.map(([first]) => first?.payload.version ?? 0);
    expect([...versions].sort((a, b) => a - b)).toEqual(keys.map((_, at) => at + 1));
    for (const [at, runId] of runs.entries()) {
      const saw = (await entries(host, runId, 'r')) ?? [];
      expect(saw).toContain(keys[at]);
      expect(saw.length).toBeGreaterThanOrEqual(versions[at] ?? 0);
    }
    expect(host.logged).toEqual([]);
  });

  it('takes in what passed a gate after others wrote, although the answer is applied at once', async () => {
    const host = await startTestEngine();
    const settings = { outputAttestation: { requireApproval: true } };
    await host.register(
      line('parent', [node('sub', 'core.subWorkflow', { workflowId: 'child' }, { settings })]),
      rememberingWorker('child', { key: 'childs', content: 'y' }),
      rememberingWorker('other', { key: 'others', content: 'z' }),
    );
    const runId = runIdOf(await start(host, 'parent'));
    await quiet(host, runId, runIdOf(await start(host, 'other')));
    expect(await answer(host, runId, 'sub')).toMatchObject({ ok: true });
    await quiet(host, runId);
    expect(await host.status(runId)).toBe('completed');
    expect((await host.of(runId, 'baton.memory.seen')).map(({ payload }) => payload.version)).toEqual([1]);
    expect((await host.of(runId, 'baton.memory.carried')).map(({ payload }) => payload.version)).toEqual([2]);
  });

  it('computes a tree again when the scope moved under it, and the command takes effect once', async () => {
    const results: SliceResult[] = [];
    const host = await startTestEngine({
      wrap: (store) => ({
        ...store,
        commit: async (slices: readonly Slice[]) => {
          const writes = slices.some((slice) => slice.memory !== undefined);
          if (writes && results.length === 0) await store.commit([SOMEBODY_ELSES]);
          const given = await store.commit(slices);
          if (writes) results.push(...given);
          return given;
        },
      }),
    });
    await host.register(line('waits', [gate('gate'), remember('w', { key: 'mine', content: 'x' })]));
    const runId = runIdOf(await start(host, 'waits'));
    await quiet(host, runId);
    expect(await answer(host, runId, 'gate')).toMatchObject({ ok: true });
    await quiet(host, runId);
    expect(results).toEqual(['conflict', 'committed']);
    expect(await host.status(runId)).toBe('completed');
    expect(await host.of(runId, 'interrupt.resolved')).toHaveLength(1);
    expect((await host.of(runId, 'baton.memory.seen')).map(({ payload }) => payload.version)).toEqual([1]);
    expect((await host.of(runId, 'memory.written')).map(({ payload }) => payload.version)).toEqual([2]);
  });

  it('MEM-01 is another one for another tenant', async () => {
    const host = await startTestEngine();
    const reader = line('reader', [look('r')]);
    await host.register(rememberingWorker('writer', { key: 'k', content: 'x' }), reader);
    await host.execute({
      kind: 'register-workflow',
      caller: { ...CALLER, tenant: 'other' },
      definition: reader as never,
      shared: false,
    });
    await quiet(host, runIdOf(await start(host, 'writer')));
    const own = runIdOf(await start(host, 'reader'));
    const foreign = runIdOf(await start(host, 'reader', {}, 'other'));
    await quiet(host, own);
    while ((await host.reads.run('other', foreign))?.status !== 'completed') await settled();
    expect(await entries(host, own, 'r')).toEqual(['k']);
    const events = (await host.reads.events('other', foreign, 0, 100)).map(
      (text) => JSON.parse(text) as RunEvent,
    );
    expect(events.find((event) => event.type === 'node.completed')?.payload).toEqual({
      nodeId: 'r',
      outputs: { entries: [] },
    });
  });
});
