import { describe, expect, it } from 'vitest';
import { memoryBook } from '../../../../conformance/src/testkit/memory-book.ts';
import { compile, START_TIME, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import { node, remember, workflow } from '../../../../conformance/src/testkit/workflows.ts';
import { DEFAULT_LIMITS } from '../../driver/limits.ts';
import { openVault } from '../../driver/secrecy/open-vault.ts';
import { emptyTree } from '../../driver/trees/loaded-tree.ts';
import type { ForkPoint } from '../../ports/store.ts';
import { startRun } from '../create.ts';
import { adopt, viewOfMemory } from '../fold/evolve-fork.ts';
import type { Run } from '../run.ts';
import type { ResolvedWorkflow } from '../working-run.ts';
import { carryHome } from './carry.ts';
import { writeEntry } from './changes.ts';

const forkOf = (run: Run, runId: string): Run => {
  const fork = {
    sourceRunId: run.runId,
    fromSeq: run.head,
    mode: 'branch',
    models: 'live',
    live: [],
  } as const;
  const point: ForkPoint = { runId, parentRunId: 'fork', createdAt: START_TIME, fork };
  return adopt(run, point);
};

/** A waiting parent. The tests call `carryHome` for it directly. */
function parent() {
  const plans = compile([workflow('parent', [node('gate', 'core.approvalGate', { title: 'Go on?' })])]);
  const { tree } = emptyTree('fork', {
    now: START_TIME,
    timestamp: '2026-01-01T00:00:00.000Z',
    limits: DEFAULT_LIMITS,
    maxDepth: DEFAULT_LIMITS.maxDepth,
    maxEventBytes: DEFAULT_LIMITS.eventBytes,
    confidenceFloor: DEFAULT_LIMITS.confidenceFloor,
    agentChecks: DEFAULT_LIMITS.agentChecks,
    transcriptWindow: DEFAULT_LIMITS.transcriptWindow,
    chainEvents: true,
    provides: new Set(),
    workflow: () => 'absent',
    memory: () => [],
    scopeVersion: () => 0,
    workspace: () => undefined,
    transcript: () => [],
    asksAgain: () => false,
    ...openVault(),
  });
  const plan = plans.get('parent') as ResolvedWorkflow;
  return startRun(tree, { runId: 'fork', workflow: plan, tenant: 'acme', principal: 'ana', inputs: {} });
}

describe('a forked child', () => {
  it('brings home what it wrote before it was forked as well, the latest on top, told in one event', () => {
    const memory = memoryBook();
    const nodes = [
      remember('one', { key: 'one', content: 'before' }),
      remember('two', { key: 'two', content: 'before' }),
    ];
    const source = simulate([workflow('child', nodes)], { memory });
    const child = forkOf(source.run(), 'fork.1');
    expect(child.memory).toMatchObject({ scope: 'run:fork.1', version: 0, mine: 1 });
    // The fork writes this after the cut.
    memory.apply([
      {
        kind: 'write',
        tenant: 'acme',
        scope: 'run:fork.1',
        expectedVersion: 0,
        at: START_TIME,
        by: {},
        id: 'two',
        content: 'after',
        tags: [],
      },
    ]);
    const working = parent();
    writeEntry(working, 'gate', { id: 'own', content: 'x', tags: [] });
    carryHome(working, 'gate', { ...child, memory: { ...child.memory, version: 1 } }, false);
    expect(memory.apply(working.tree.changes)).toBe(true);
    expect(working.run.memory.version).toBe(3);
    const view = viewOfMemory(working.run.memory);
    const rows = memory.memory({ tenant: 'acme', view, now: START_TIME, limit: 10 });
    expect(rows.map(({ id, content }) => `${id} ${content}`)).toEqual(['two after', 'one before', 'own x']);
    const carried = working.texts
      .map((text) => JSON.parse(text))
      .filter(({ type }) => type === 'baton.memory.carried');
    expect(carried).toMatchObject([
      { payload: { from: 'run:fork.1', upTo: 1, below: [{ scope: 'run:root', version: 2 }], version: 3 } },
    ]);
  });

  it('brings home what it wrote before when it wrote nothing since, also as the fork of a fork', () => {
    const source = simulate([workflow('child', [remember('one', { key: 'one', content: 'x' })])]);
    const child = forkOf(forkOf(source.run(), 'fork.1'), 'again.1');
    const working = parent();
    carryHome(working, 'gate', child, false);
    expect(working.tree.changes).toMatchObject([
      { kind: 'carry', from: 'run:root', upTo: 1, expectedVersion: 0 },
    ]);
  });

  it('does not bring home what it only started with', () => {
    const nodes = [node('sub', 'core.subWorkflow', { workflowId: 'child' })];
    const first = remember('one', { key: 'one', content: 'x' });
    const source = simulate([
      workflow('top', [first, ...nodes], { edges: [{ sourceNodeId: 'one', targetNodeId: 'sub' }] }),
      workflow('child', [node('n', 'core.noop')]),
    ]);
    const child = forkOf(source.run('root.1'), 'fork.1');
    expect(viewOfMemory(child.memory)).toHaveLength(1);
    const working = parent();
    carryHome(working, 'gate', child, false);
    expect(working.tree.changes).toEqual([]);
  });
});
