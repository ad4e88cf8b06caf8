import type { Json, RunEvent } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Simulation, simulate } from '../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  declare,
  edge,
  failingWorker,
  node,
  worker,
  workflow,
} from '../../../conformance/src/testkit/workflows.ts';
import { foldTexts } from '../fold.ts';

/**
 * Invariants that hold for random workflows, with random answers, commands and times in random order. The
 * simulation refolds every step from its bytes, so each example is also a test of determinism.
 */

const WORKERS = ['ok', 'bad', 'slow', 'asks', 'acts', 'nobody'] as const;

const workers = [
  worker('ok', { out: 'fresh' }),
  failingWorker('bad', { out: 'never' }),
  workflow('slow', [node('wait', 'core.delay', { ms: 50 })], { variables: declare({ out: 'late' }) }),
  workflow('asks', [node('gate', 'core.approvalGate')], { variables: declare({ out: 'approved' }) }),
  workflow('acts', [node('act', 'core.conformance.side-effect')], { variables: declare({ out: 'acted' }) }),
];

const decision = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .array(fc.constantFrom(...WORKERS), { minLength: 1, maxLength: 3 })
      .map((ids) => ({ kind: 'next-worker', nextWorkerIds: ids })),
  },
  fc.constant({ kind: 'ask-user', prompt: 'And now?' }),
  fc.constant({ kind: 'escalate' }),
  fc.constant({ kind: 'terminate' }),
);

const supervised = fc.record({
  plan: fc.array(decision, { maxLength: 4 }),
  mapped: fc.boolean(),
  chainEvents: fc.boolean(),
});

const leaf = fc.constantFrom(
  ['core.noop', {}],
  ['core.fail', {}],
  ['core.delay', { ms: 20 }],
  ['core.approvalGate', {}],
  ['core.conformance.side-effect', {}],
  ['core.subWorkflow', { workflowId: 'asks', onChildFailure: 'absorb' }],
  ['core.subWorkflow', { workflowId: 'bad' }],
  ['core.subWorkflow', { workflowId: 'slow', waitForCompletion: false }],
  ['vendor.baton.set', { assign: { n: 'has(variables.n) ? variables.n + 1 : 0' } }],
) as fc.Arbitrary<[string, Record<string, unknown>]>;

const graph = fc.record({
  nodes: fc.array(leaf, { minLength: 1, maxLength: 6 }),
  edges: fc.array(
    fc.tuple(
      fc.nat(5),
      fc.nat(5),
      fc.constantFrom('all_success', 'any_success', 'all_complete', 'none_failed', 'any_failed'),
    ),
    { maxLength: 8 },
  ),
  retries: fc.nat(1),
});

const act = fc.oneof(
  fc.record({ do: fc.constant('tick' as const), ms: fc.constantFrom(1, 20, 50, 5000) }),
  fc.record({ do: fc.constant('answer' as const), yes: fc.boolean(), pick: fc.nat(3) }),
  fc.record({ do: fc.constant('effects' as const), fail: fc.boolean() }),
  fc.record({ do: fc.constantFrom('pause' as const, 'drain' as const, 'resume' as const) }),
  fc.record({ do: fc.constant('cancel' as const), pick: fc.nat(5) }),
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** Performs the act. If it is refused, no event may have been recorded. */
function perform(run: Simulation, given: Act): void {
  const before = JSON.stringify(run.runIds().map((id) => run.events(id)));
  try {
    switch (given.do) {
      case 'tick':
        run.tick(given.ms);
        break;
      case 'answer':
        answer(run, given.yes, given.pick);
        break;
      case 'effects':
        run.finishEffects(given.fail ? { fail: 'broken' } : undefined);
        break;
      case 'pause':
        run.pause();
        break;
      case 'drain':
        run.pause('drain-current-node');
        break;
      case 'resume':
        run.resume();
        break;
      case 'cancel':
        run.cancel(pick(run.runIds(), given.pick));
        break;
    }
  } catch (refusal) {
    expect(refusal).toHaveProperty('code');
    expect(JSON.stringify(run.runIds().map((id) => run.events(id)))).toBe(before);
  }
}

function answer(run: Simulation, yes: boolean, which: number): void {
  const open = run
    .runIds()
    .flatMap((id) => Object.values(run.run(id).interrupts).map((one) => ({ id, one })));
  const target = pick(open, which);
  if (target === undefined) return;
  const value: Json =
    target.one.request.kind === 'clarification'
      ? { answers: { answer: 'x' } }
      : { action: yes ? 'accept' : 'reject' };
  run.resolve(target.one.nodeId, value, { runId: target.id });
}

const pick = <T>(items: readonly T[], at: number): T => items[at % Math.max(items.length, 1)] as T;

const TERMINAL = /^run\.(completed|failed|cancelled)$/;

function check(run: Simulation): void {
  const everything = new Map<string, RunEvent>();
  for (const id of run.runIds()) for (const event of run.events(id)) everything.set(event.eventId, event);
  for (const id of run.runIds()) {
    const events = run.events(id);
    expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index));
    const ends = events.filter((event) => TERMINAL.test(event.type));
    expect(ends.length).toBeLessThanOrEqual(1);
    if (ends.length === 1) expect(events.at(-1)).toBe(ends[0]);
    for (const event of events) {
      if (event.causationId === undefined) continue;
      const cause = everything.get(event.causationId);
      expect(cause, `${event.type} has no cause ${event.causationId}`).toBeDefined();
      if (cause?.runId === id) expect(cause.sequence).toBeLessThan(event.sequence);
    }
    expect(
      foldTexts(
        undefined,
        events.map((event) => JSON.stringify(event)),
      ),
    ).toEqual(run.run(id));
    const parent = run.run(id).parent;
    const isDetached =
      parent &&
      run
        .events(parent.runId)
        .some((e) => e.type === 'node.completed' && e.payload.outputs?.childRunId === id);
    if (parent && TERMINAL.test(run.types(parent.runId).at(-1) ?? '') && !isDetached) {
      expect(TERMINAL.test(run.types(id).at(-1) ?? ''), `${id} outlived its parent`).toBe(true);
    }
  }
}

/** Outputs are taken over only from a worker that completed. */
function checkNoMergeFromFailed(run: Simulation): void {
  for (const event of run.events()) {
    if (event.type !== 'core.workflowChain.event' || event.payload.phase !== 'output.harvested') continue;
    expect(run.types(event.payload.childRunId).at(-1)).toBe('run.completed');
  }
  expect(run.run().variables.result).not.toBe('never');
}

describe('any supervised run, under any order of commands', () => {
  it('keeps its invariants, and never merges from a child that did not complete', () => {
    fc.assert(
      fc.property(supervised, fc.array(act, { maxLength: 12 }), ({ plan, mapped, chainEvents }, acts) => {
        const config = mapped ? { outputMapping: { result: 'out' } } : {};
        const run = simulate([boss(plan, config), ...workers], {
          chainEvents,
          limits: { durationMs: 20_000 },
        });
        for (const one of acts) perform(run, one);
        check(run);
        checkNoMergeFromFailed(run);
      }),
      { numRuns: 300 },
    );
  });
});

describe('any graph, under any order of commands', () => {
  it('keeps its invariants', () => {
    fc.assert(
      fc.property(graph, fc.array(act, { maxLength: 12 }), (shape, acts) => {
        const ids = shape.nodes.map((_, index) => `n${index}`);
        // Edges go forward only: other cycles are refused at registration.
        const edges = shape.edges
          .filter(([from, to]) => from < to && to < ids.length)
          .map(([from, to, triggerRule]) => edge(ids[from]!, ids[to]!, { triggerRule }));
        const nodes = shape.nodes.map(([typeId, config], index) => node(ids[index]!, typeId, config));
        const definition = workflow('any', nodes, { edges, settings: { maxRetries: shape.retries } });
        const run = simulate([definition, ...workers], { limits: { durationMs: 20_000 } });
        for (const one of acts) perform(run, one);
        check(run);
      }),
      { numRuns: 300 },
    );
  });
});
