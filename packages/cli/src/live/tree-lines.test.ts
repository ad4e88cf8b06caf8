import type { RunEvent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { paintFor } from '../output/output.ts';
import { textWidth } from '../output/text-width.ts';
import { foldChunk, foldEvent } from './fold-event.ts';
import { treeLines } from './tree-lines.ts';
import { newView, type RunView, type Views } from './view.ts';
import { waitsForPerson } from './waiting.ts';

const START = Date.parse('2026-11-17T12:00:00Z');
type Told = readonly [ms: number, type: string, nodeId: string | undefined, payload: object];

function folded(runId: string, log: readonly Told[]): RunView {
  const events = log.map(([ms, type, nodeId, payload], sequence) => ({
    eventId: `${runId}:${sequence}`,
    runId,
    sequence,
    timestamp: new Date(START + ms).toISOString(),
    type,
    ...(nodeId !== undefined && { nodeId }),
    payload,
  })) as unknown as readonly RunEvent[];
  return events.reduce(foldEvent, newView(runId));
}

function started(workflowId: string, ms: number): Told {
  return [ms, 'run.started', undefined, { workflowId }];
}

function node(ms: number, nodeId: string, typeId = 'core.noop'): Told {
  return [ms, 'node.started', nodeId, { nodeId, typeId, attempt: 1 }];
}

function done(ms: number, nodeId: string): Told {
  return [ms, 'node.completed', nodeId, { nodeId }];
}

function chain(ms: number, phase: string, childRunId: string, more: object = {}): Told {
  return [
    ms,
    'core.workflowChain.event',
    'desk',
    { phase, workerId: 'writer', parentRunId: 'r', childRunId, ...more },
  ];
}

const attestation = { checksum: 'c6eac88c874a565f', algorithm: 'sha256' };

/** A supervisor, a worker whose first work is sent back, and an approval. */
const GATED: readonly Told[] = [
  started('report', 0),
  node(0, 'lead'),
  [
    50,
    'runOrchestrator.decided',
    'lead',
    {
      agentId: 'a',
      iteration: 1,
      decision: { kind: 'next-worker', nextWorkerIds: ['writer'], confidence: 0.9 },
    },
  ],
  done(50, 'lead'),
  node(50, 'desk'),
  [60, 'node.dispatched', 'desk', { childRunId: 'r.1', childWorkflowId: 'writer' }],
  chain(2000, 'child.completed', 'r.1'),
  chain(2000, 'output.harvested', 'r.1', { attestation }),
  [
    2000,
    'baton.critic.started',
    'desk',
    { workerId: 'writer', childRunId: 'r.1', criticRunId: 'r.2', attempt: 1 },
  ],
  [
    4000,
    'agent.verified',
    'desk',
    { agentId: 'critic', target: 'r.1', verdict: 'revise', criteria: ['cites'] },
  ],
  [4000, 'node.dispatched', 'desk', { childRunId: 'r.3', childWorkflowId: 'writer' }],
];

const ASKED: Told = [
  9000,
  'interrupt.requested',
  'desk',
  {
    kind: 'approval',
    key: 'k',
    data: { title: 'Take it?', actions: ['accept'], requiredApprovals: 2, approversList: ['ada', 'ben'] },
  },
];

const plain = paintFor(false);

function lines(views: Views, ms: number, columns: number): readonly string[] {
  return treeLines('r', views, START + ms, columns, plain);
}

describe('the live tree', () => {
  it('shows turns, child runs and the stages of the gate', () => {
    const child = folded('r.3', [started('writer', 4000), node(4100, 'write', 'core.agent')]);
    const writing = foldChunk(
      child,
      { nodeId: 'write', runId: 'r.3', channel: 'answer', chunk: 'Owls are\nquiet hunters.', isLast: false },
      START + 5000,
    );
    const views = new Map([
      ['r', folded('r', GATED)],
      ['r.1', folded('r.1', [started('writer', 60), [2000, 'run.completed', undefined, {}]])],
      ['r.3', writing],
    ]);
    expect(lines(views, 6400, 60).join('\n')).toBe(
      [
        '● report  r',
        '  running · 6.4 s',
        '├─ ✓ lead  turn 1: hands to writer, 0.9',
        '└─ ● desk                                              6.3 s',
        '   ├─ ✓ writer  .1                                     1.9 s',
        '   ├─ ✓ checksum c6eac88c874a',
        '   ├─ ↻ critic: revise (cites)  .2                     2.0 s',
        '   └─ ● writer  .3                                     2.4 s',
        '      └─ ● write                                       2.3 s',
        '         └─ “Owls are quiet hunters.',
      ].join('\n'),
    );
  });

  it('says in its second line that the connection is lost', () => {
    const views = new Map([['r', folded('r', GATED)]]);
    const lost = treeLines('r', views, START + 6400, 60, plain, false);
    expect(lost[1]).toBe('  connection lost, trying again · running · 6.4 s');
    expect(lost.toSpliced(1, 1)).toEqual(lines(views, 6400, 60).toSpliced(1, 1));
  });

  it.each([20, 40, 80, 200])('never exceeds %i columns', (columns) => {
    const view = folded('r', [
      ...GATED,
      ASKED,
      [9000, 'run.failed', undefined, { error: { code: 'c', message: '長'.repeat(200) } }],
    ]);
    const drawn = lines(new Map([['r', view]]), 10_000, columns);
    expect(drawn.length).toBeGreaterThan(8);
    expect(Math.max(...drawn.map(textWidth))).toBeLessThanOrEqual(columns);
  });

  it('says for whom a run waits, and who decided', () => {
    const waiting = folded('r', [...GATED.slice(0, 5), ASKED]);
    const views = new Map([['r', waiting]]);
    expect(lines(views, 10_000, 60)).toEqual([
      '◆ report  r',
      '  waits for a person · 10 s',
      '├─ ✓ lead  turn 1: hands to writer, 0.9',
      '└─ ◆ desk                                              9.9 s',
      '   └─ ◆ approval by 2 of ada, ben: Take it?            1.0 s',
    ]);
    const answer = {
      nodeId: 'desk',
      interruptId: 'k',
      kind: 'approval',
      outcome: 'answered',
      resolvedBy: 'ada',
    };
    const merged = { workerId: 'writer', childRunId: 'r.3', merged: true, why: 'edited' };
    const settled = folded('r', [
      ...GATED.slice(0, 5),
      ASKED,
      [12_000, 'interrupt.resolved', 'desk', answer],
      [12_000, 'baton.merge.settled', 'desk', merged],
      done(12_000, 'desk'),
      [12_000, 'run.completed', undefined, {}],
    ]);
    expect(lines(new Map([['r', settled]]), 99_000, 70)).toEqual([
      '✓ report  r',
      '  completed · 12 s',
      '├─ ✓ lead  turn 1: hands to writer, 0.9',
      '└─ ✓ desk                                                         11 s',
      '   ├─ ✓ answered by ada · approval by 2 of ada, ben: Take it?    3.0 s',
      '   └─ ✓ merged as edited',
    ]);
  });

  it('sums tokens, tool calls and costs', () => {
    const usage = { provider: 'p', model: 'm', inputTokens: 1000, outputTokens: 240 };
    const view = folded('r', [
      started('report', 0),
      node(0, 'desk'),
      [1, 'provider.usage', 'desk', { ...usage, costEstimateUsd: 0.002 }],
      [1, 'provider.usage', 'desk', { ...usage, cacheHit: true }],
      [2, 'agent.toolCalled', 'desk', { agentId: 'a', toolName: 'web', callId: '1' }],
      [3, 'agent.toolReturned', 'desk', { agentId: 'a', toolName: 'web', callId: '1', status: 'error' }],
      [
        3,
        'baton.usage.carried',
        undefined,
        { childRunId: 'r.1', inputTokens: 10, outputTokens: 0, toolCalls: 1, costUsd: 1 },
      ],
    ]);
    expect(lines(new Map([['r', view]]), 5000, 60)).toEqual([
      '● report  r',
      '  running · 5.0 s · 1,250 tokens · 2 tool calls · $1.00',
      '└─ ● desk                                              5.0 s',
      '   └─ ✗ tool web: error',
    ]);
  });

  it('shows control characters of texts that come from elsewhere as escapes', () => {
    const view = folded('r', [
      started('report', 0),
      node(0, 'x'),
      [1, 'node.failed', 'x', { nodeId: 'x', error: { code: 'c', message: 'a\x1b[2Jb\nc\x07' } }],
    ]);
    expect(lines(new Map([['r', view]]), 0, 60).at(-1)).toBe('└─ ✗ x  c: a\\u001b[2Jb c\\u0007');
  });
});

describe('a run waits for a person', () => {
  const views = (parent: readonly Told[], child?: readonly Told[]): Views =>
    new Map([
      ['r', folded('r', parent)],
      ...(child === undefined ? [] : [['r.3', folded('r.3', child)] as const]),
    ]);
  const childAsks: readonly Told[] = [started('writer', 0), node(0, 'desk'), ASKED];

  it.each([
    ['when its node asks', views([...GATED.slice(0, 5), ASKED]), true],
    ['not while a child works', views(GATED, [started('writer', 0), node(0, 'write')]), false],
    ['when its only open child asks', views(GATED, childAsks), true],
    ['not while another node works', views([...GATED, node(1, 'other')], childAsks), false],
    ['not after it ended', views([...GATED, ASKED, [1, 'run.cancelled', undefined, {}]]), false],
    ['not before it began', views([]), false],
  ])('%s', (_, given, expected) => {
    expect(waitsForPerson('r', given)).toBe(expected);
  });
});
