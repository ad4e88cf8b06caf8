import type { Json, TurnInputs } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../tests/verifies.ts';
import { memoryBook } from '../../../../conformance/src/testkit/memory-book.ts';
import {
  type Simulation,
  type SimulationOptions,
  simulate,
} from '../../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  edge,
  hand,
  LOOP_EDGES,
  node,
  remember,
  rememberingWorker,
  TERMINATE,
  worker,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';
import { WORKSPACE_SCOPE } from './turn-inputs.ts';

const turns = (run: Simulation): readonly TurnInputs[] =>
  run.of('node.started').flatMap((event) => (event.payload.turn ? [event.payload.turn] : []));
const decisions = (run: Simulation) =>
  run.of('runOrchestrator.decided').map((event) => event.payload.decision);
const error = (run: Simulation) => {
  const { phase } = run.run();
  return phase.kind === 'ended' ? phase.error : undefined;
};

/** A supervisor that decides by an expression. */
const deciding = (decide: string, more: readonly unknown[] = [], options: SimulationOptions = {}) => {
  const nodes = [
    node('supervisor', 'core.orchestrator.supervisor', {}, { settings: { decide } }),
    node('dispatch', 'core.dispatch'),
  ];
  return simulate([workflow('boss', nodes, { edges: LOOP_EDGES }), ...more], options);
};
/**
 * Dispatches the worker until the condition holds. The reason of the last decision contains what the turn
 * saw.
 */
const until = (condition: string, tell: string, workerId = 'w') =>
  `${condition} ? {"kind": "terminate", "reason": ${tell}} : {"kind": "next-worker", "nextWorkerIds": ["${workerId}"]}`;

const file = (memory: ReturnType<typeof memoryBook>, path: string, content: string) =>
  memory.apply([
    {
      kind: 'write',
      tenant: 'acme',
      scope: WORKSPACE_SCOPE,
      expectedVersion: memory.scope('acme', WORKSPACE_SCOPE)?.version ?? 0,
      at: 0,
      by: {},
      id: path,
      content,
      tags: [],
    },
  ]);

describe('what a turn is given', () => {
  it('STATE-05 names the memory that the turn began with, and each turn its own', () => {
    const run = simulate([
      boss([hand('w'), hand('w'), TERMINATE]),
      rememberingWorker('w', { key: 'k', content: 'x' }),
    ]);
    expect(turns(run).map((turn) => turn.memory)).toEqual([
      undefined,
      { scope: 'run:root', version: 1 },
      { scope: 'run:root', version: 2 },
    ]);
  });

  it('STATE-05 names what a supervisor below inherited, until it has something of its own', () => {
    const nodes = [
      remember('first', { key: 'k', content: 'x' }),
      node('sub', 'core.subWorkflow', { workflowId: 'boss' }),
    ];
    const run = simulate([
      workflow('top', nodes, { edges: [edge('first', 'sub')] }),
      boss([hand('w'), TERMINATE]),
      rememberingWorker('w', { key: 'l', content: 'x' }),
    ]);
    const started = run.of('node.started', 'root.1');
    expect(started.flatMap((event) => event.payload.turn?.memory ?? [])).toEqual([
      { scope: 'run:root', version: 1 },
      { scope: 'run:root.1', version: 1 },
    ]);
  });

  it('STATE-07 has the latest events, so many as the window holds', () => {
    const run = simulate([boss([hand('w'), hand('w'), TERMINATE]), worker('w')], {
      limits: { transcriptWindow: 10 },
    });
    const started = run
      .events()
      .flatMap((event) => (event.type === 'node.started' && event.payload.turn ? [event] : []));
    expect(started).toHaveLength(3);
    for (const { sequence, payload } of started) {
      expect(payload.turn?.transcript).toEqual({ from: Math.max(0, sequence - 10), to: sequence });
    }
    expect(started.at(-1)!.sequence).toBeGreaterThan(10);
  });

  it('names the workspace as it was, and the run remembers what it looked at', () => {
    const memory = memoryBook();
    file(memory, 'a.md', 'one');
    const run = simulate([boss([{ kind: 'clarify', prompt: '?' }, TERMINATE])], { memory });
    file(memory, 'a.md', 'two');
    run.resolve('dispatch', { answers: { answer: 'yes' } });
    expect(turns(run).map((turn) => turn.workspace)).toEqual([
      { scope: WORKSPACE_SCOPE, version: 1 },
      { scope: WORKSPACE_SCOPE, version: 2 },
    ]);
    expect(run.run().workspace).toEqual({ scope: WORKSPACE_SCOPE, version: 2 });
  });

  it('is only the transcript where there is neither memory nor workspace, and no event is added', () => {
    verifies('MEM-15');
    const run = simulate([boss([hand('w'), TERMINATE]), worker('w')]);
    expect(turns(run)).toEqual([{ transcript: { from: 0, to: 1 } }, { transcript: { from: 0, to: 10 } }]);
    expect(run.types().filter((type) => type.includes('memory'))).toEqual([]);
    expect(run.events('root.1')[0]?.payload).not.toHaveProperty('memoryBase');
  });
});

describe('a supervisor that decides by an expression', () => {
  it('sees variables, inputs and the number of the turn', () => {
    const run = deciding(
      until('turn.iteration > inputs.most', 'string(variables.most) + "/" + string(turn.iteration)'),
      [worker('w')],
      { inputs: { most: 2 } },
    );
    expect(decisions(run)).toEqual([hand('w'), hand('w'), { kind: 'terminate', reason: '2/3' }]);
  });

  it('sees what a worker remembered in the next turn, and never in the turn that sent it', () => {
    verifies('STATE-08', 'MEM-04');
    const run = deciding(until('size(turn.memory) > 0', 'string(turn.iteration) + turn.memory[0].content'), [
      rememberingWorker('w', { key: 'k', content: ' found' }),
    ]);
    expect(decisions(run)).toEqual([hand('w'), { kind: 'terminate', reason: '2 found' }]);
  });

  it('STATE-08 sees nothing of what is written while its turn is under way', () => {
    const nodes = [
      node('start', 'core.noop'),
      remember('aside', { key: 'aside', content: 'x' }),
      node(
        'supervisor',
        'core.orchestrator.supervisor',
        { mockConfidence: 0.1 },
        { settings: { decide: '{"kind": "terminate", "reason": string(size(turn.memory))}' } },
      ),
      node('wait', 'core.delay', { delayMs: 10 }),
      remember('late', { key: 'late', content: 'x' }),
    ];
    const edges = [
      edge('start', 'aside'),
      edge('aside', 'supervisor'),
      edge('aside', 'wait'),
      edge('wait', 'late'),
    ];
    const run = simulate([workflow('boss', nodes, { edges })]);
    run.tick(10);
    expect(run.memory()).toHaveLength(2);
    run.resolve('supervisor', { action: 'accept' });
    expect(decisions(run)).toEqual([{ kind: 'terminate', reason: '1' }]);
    expect(turns(run)).toMatchObject([{ memory: { version: 1 } }]);
  });

  it('STATE-08 sees files as they were when the turn began', () => {
    const memory = memoryBook();
    file(memory, 'a.md', 'one');
    const tell = 'turn.workspace.map(f, f.path + string(f.version) + f.content)[0]';
    const waiting = workflow('w', [node('wait', 'core.delay', { delayMs: 5 })]);
    const run = deciding(until('turn.iteration > 1', tell), [waiting], { memory });
    file(memory, 'a.md', 'two');
    run.tick(5);
    expect(decisions(run).at(-1)).toEqual({ kind: 'terminate', reason: 'a.md2two' });
    expect(turns(run).map((turn) => turn.workspace?.version)).toEqual([1, 2]);
  });

  it.each([
    ['in one go', {}],
    ['an event at a time', { sliceEvents: 1 }],
    ['with look-ups', { forgetful: true, sliceEvents: 7 }],
  ])('STATE-07 reads its transcript, stored or not: %s', (_how, options) => {
    const tell = 'turn.transcript.map(e, string(e.sequence) + e.type)';
    const run = deciding(
      `turn.iteration > 2 ? {"kind": "terminate", "successCriteria": ${tell}.map(k, {"key": k, "met": true})} : {"kind": "next-worker", "nextWorkerIds": ["w"]}`,
      [worker('w')],
      { limits: { transcriptWindow: 12 }, ...options },
    );
    const last = decisions(run).at(-1) as { successCriteria?: { key: string }[] };
    const { from, to } = turns(run).at(-1)!.transcript;
    const expected = run.events().slice(from, to);
    expect(last.successCriteria?.map(({ key }) => key)).toEqual(
      expected.map((event) => `${event.sequence}${event.type}`),
    );
    expect(expected).toHaveLength(12);
  });

  it('STATE-10 reads after a suspension what it had before it, and what was added since', () => {
    const nodes = [
      remember('first', { key: 'before', content: 'before' }),
      node(
        'supervisor',
        'core.orchestrator.supervisor',
        {},
        {
          settings: {
            decide:
              'turn.iteration == 1 ? {"kind": "clarify", "prompt": "?"} : turn.iteration == 2 ? {"kind": "next-worker", "nextWorkerIds": ["w"]} : {"kind": "terminate", "reason": turn.memory.map(e, e.content)[0] + turn.memory.map(e, e.content)[1]}',
          },
        },
      ),
      node('dispatch', 'core.dispatch'),
    ];
    const run = simulate([
      workflow('boss', nodes, { edges: [edge('first', 'supervisor'), ...LOOP_EDGES] }),
      rememberingWorker('w', { key: 'after', content: 'after ' }),
    ]);
    run.tick(1_000_000);
    run.resolve('dispatch', { answers: { answer: 'yes' } });
    expect(decisions(run).at(-1)).toEqual({ kind: 'terminate', reason: 'after before' });
    expect(turns(run).map((turn) => turn.memory?.version)).toEqual([1, 1, 2]);
  });

  it('comes to the same wherever slices end and whatever was known', () => {
    const trial = (options: SimulationOptions) =>
      deciding(
        until('size(turn.memory) > 2 || size(turn.transcript) > 100', 'string(size(turn.memory))'),
        [workflow('w', [remember('n', { content: 'x' })])],
        options,
      ).events();
    const expected = trial({});
    for (const sliceEvents of [1, 2, 3, 5, 8]) {
      for (const forgetful of [false, true]) expect(trial({ sliceEvents, forgetful })).toEqual(expected);
    }
  });

  it('reads only what the expression names', () => {
    const asked: string[] = [];
    const memory = memoryBook();
    file(memory, 'a.md', 'x');
    const spied = {
      ...memory,
      memory: (query: Parameters<typeof memory.memory>[0]) => {
        asked.push(query.view.map((layer) => layer.scope).join());
        return memory.memory(query);
      },
    };
    const notes = rememberingWorker('w', { key: 'k', content: 'x' });
    deciding(until('turn.iteration > 1', '"done"'), [notes], { memory: spied });
    expect(asked).toEqual([]);
    deciding(until('size(turn.workspace) > 0', '"done"'), [notes], { memory: spied });
    expect(asked).toEqual([WORKSPACE_SCOPE]);
  });

  it.each([
    ['not an expression', 'turn.', /settings\.decide/],
    ['an unknown name', 'memory', /settings\.decide/],
    ['a pattern', 'variables.a.matches("(a+)+") ? 1 : 2', /settings\.decide/],
  ])('is refused at registration with %s', (_title, decide, message) => {
    expect(() => deciding(decide)).toThrow(message);
  });

  it('is refused beside a script, and on any other node', () => {
    const settings = { decide: '{"kind": "terminate"}' };
    const scripted = node('s', 'core.orchestrator.supervisor', { script: [TERMINATE] }, { settings });
    expect(() => simulate([workflow('boss', [scripted])])).toThrow(/script/);
    expect(() => simulate([workflow('other', [node('n', 'core.noop', {}, { settings })])])).toThrow(
      /supervisor nodes only/,
    );
  });

  it.each<[string, string, string]>([
    ['is not a decision', '{"kind": "dance"}', 'invalid_decision'],
    ['is no object', '"terminate"', 'invalid_decision'],
    ['cannot be evaluated', '{"kind": "terminate", "reason": turn.memory[5].content}', 'expression_failed'],
  ])('fails the run when what it yields %s', (_title, decide, code) => {
    expect(error(deciding(decide))?.code).toBe(code);
  });

  it('does not see a turn outside of one', () => {
    const set = node('s', 'vendor.baton.set', { assign: { a: 'turn.iteration' } });
    expect(() => simulate([workflow('set', [set])])).toThrow(/turn/);
  });

  it('may be held back by its own doubt, and then decides what was shown', () => {
    const nodes = [
      node(
        'supervisor',
        'core.orchestrator.supervisor',
        { mockConfidence: 0.1 },
        { settings: { decide: '{"kind": "terminate", "reason": variables.why}' } },
      ),
    ];
    const run = simulate([workflow('boss', nodes)], { inputs: { why: 'then' } });
    run.setVariables({ why: 'now' } as Record<string, Json>);
    run.resolve('supervisor', { action: 'accept' });
    expect(decisions(run)).toEqual([{ kind: 'terminate', reason: 'then' }]);
  });
});
