import type { Slice } from '@baton/engine';
import type { RunEvent, WorkflowDefinition } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { type Plan, planOf } from '../plan.ts';
import { shrink } from '../shrink.ts';
import { ledgerOf } from './ledger.ts';
import { logWatch } from './log-watch.ts';
import { mergeWatch } from './watch-merges.ts';
import { nodeWatch } from './watch-nodes.ts';

/** The checks of the simulator see what they are there for. */

const AT = '2026-01-01T00:00:00.000Z';
const DEFINITION = {
  id: 'w',
  nodes: [
    { id: 'call', typeId: 'core.subWorkflow', config: { workflowId: 'w' } },
    { id: 'let-go', typeId: 'core.subWorkflow', config: { workflowId: 'w', propagateCancellation: false } },
  ],
} as unknown as WorkflowDefinition;

interface Part {
  readonly runId: string;
  readonly head: number;
  readonly types: readonly string[];
  readonly status?: string;
  readonly parent?: string;
  readonly node?: string;
}

/** A slice whose events begin at `head` of each run. A run that begins at 0 is created by the slice. */
function slice(rootId: string, from: number, ...parts: readonly Part[]): Slice {
  return {
    rootId,
    from,
    runs: parts.map(({ runId, head, types, status = 'running', parent, node = 'call' }) => ({
      runId,
      expectedHead: head,
      ...(head === 0 && {
        created: {
          runId,
          rootId: runId.split('.')[0] as string,
          tenant: 'acme',
          principal: 'ana',
          workflowId: 'w',
          workflowVersion: 1,
          tags: [],
          createdAt: 0,
          ...(parent !== undefined && { parentRunId: parent, parentNodeId: node }),
        },
      }),
      events: types.map((type, at) => textOf(runId, type, head + at)),
      status: status as 'running',
      at: 0,
      interruptsOpened: [],
      interruptsClosed: [],
    })),
  };
}

function textOf(runId: string, type: string, sequence: number): string {
  const owner = { tenant: 'acme', principal: 'ana' };
  const started = { workflowId: 'w', workflowVersion: 1, definition: 'd', variables: {}, inputs: {}, owner };
  const payload =
    type === 'run.started'
      ? started
      : { nodeId: 'call', typeId: 'core.subWorkflow', attempt: 1, childRunId: `${runId}.1` };
  const nodeId = type.startsWith('node.') ? { nodeId: 'call' } : {};
  return JSON.stringify({
    eventId: `${runId}:${sequence}`,
    runId,
    sequence,
    timestamp: AT,
    type,
    payload,
    ...nodeId,
  });
}

const first = (runId: string, more: Partial<Part> = {}): Part => ({
  runId,
  head: 0,
  types: ['run.started'],
  ...more,
});
const next = (runId: string, type: string, more: Partial<Part> = {}): Part => ({
  runId,
  head: 1,
  types: [type],
  ...more,
});

describe('the ledger notices', () => {
  const entered = (...slices: readonly Slice[]) => {
    const ledger = ledgerOf([['d', DEFINITION]]);
    return slices.flatMap((one) => ledger.enter([one], ['committed'], new Set(), true));
  };
  const CANCELLED = { status: 'cancelled' };

  it.each([
    [
      'a slice from a place that is past',
      [slice('a', 0, first('a')), slice('a', 0, next('a', 'run.cancelled', CANCELLED))],
      'goes on from 0',
    ],
    [
      'a gap in a log',
      [slice('a', 0, first('a')), slice('a', 1, { ...next('a', 'run.cancelled', CANCELLED), head: 2 })],
      'were stored from 2',
    ],
    [
      'an event after the end',
      [
        slice('a', 0, first('a', { types: ['run.started', 'run.cancelled'], ...CANCELLED })),
        slice('a', 2, { ...next('a', 'node.skipped', CANCELLED), head: 2 }),
      ],
      'after its end',
    ],
    [
      'an end that is not the status',
      [slice('a', 0, first('a', CANCELLED))],
      'its last event is run.started',
    ],
    ['a run of another tree', [slice('a', 0, first('b'))], 'changed by a slice of a'],
    ['a run that was created twice', [slice('a', 0, first('a')), slice('a', 1, first('a'))], 'created twice'],
    [
      'a child that was started twice',
      [slice('a', 0, first('a', { types: ['run.started', 'node.dispatched', 'node.dispatched'] }))],
      'started the child a.1 twice',
    ],
    [
      'a child that outlives its parent',
      [
        slice('a', 0, first('a', { types: ['run.started', 'node.started'] }), first('a.1', { parent: 'a' })),
        slice('a', 3, { ...next('a', 'run.cancelled', CANCELLED), head: 2 }),
      ],
      'a.1 is running',
    ],
  ])('%s', (_what, slices, problem) => {
    expect(entered(...slices).join()).toContain(problem);
  });

  it('an event that is caused by itself or a later one', () => {
    const { see } = logWatch(new Map([['d', DEFINITION]]));
    see(JSON.parse(textOf('a', 'run.started', 0)));
    const started = { ...JSON.parse(textOf('a', 'node.started', 1)), causationId: 'a:1' };
    expect(see(started)).toEqual(['event 1 is caused by a:1']);
  });

  it('nothing where nothing is wrong, and a child may outlive a parent that lets it go', () => {
    const begin = slice(
      'a',
      0,
      first('a', { types: ['run.started', 'node.started'] }),
      first('a.1', { parent: 'a', node: 'let-go' }),
    );
    expect(entered(begin, slice('a', 3, { ...next('a', 'run.cancelled', CANCELLED), head: 2 }))).toEqual([]);
  });

  it('a conflict that a host alone has made itself, and none that was made for it', () => {
    const ledger = ledgerOf([['d', DEFINITION]]);
    ledger.enter([slice('a', 0, first('a'))], ['committed'], new Set(), true);
    const late = slice('a', 0, next('a', 'run.cancelled', CANCELLED));
    expect(ledger.enter([late], ['conflict'], new Set(), true)).toHaveLength(1);
    expect(ledger.enter([late], ['conflict'], new Set([late]), true)).toEqual([]);
    expect(ledger.enter([late], ['conflict'], new Set(), false)).toEqual([]);
  });
});

describe('an attempt of a node', () => {
  const started = {
    type: 'node.started',
    nodeId: 'n',
    payload: { nodeId: 'n', attempt: 1, typeId: 'core.conformance.side-effect' },
  };
  const settled = (madeFor: string) => ({
    type: 'baton.effect.settled',
    nodeId: 'n',
    payload: { nodeId: 'n', step: 1, outputs: { madeFor } },
  });
  const completed = { type: 'node.completed', nodeId: 'n', payload: { nodeId: 'n', outputs: {} } };
  const problemsOf = (...events: readonly object[]) => {
    const { see } = nodeWatch();
    return events.flatMap((event) => see(event as RunEvent));
  };

  it.each([
    ['ends twice', [started, completed, completed]],
    ['is started while it is running', [started, started]],
    ['takes the outcome of another attempt', [started, settled('n/1/2/1')]],
    ['takes the outcome of another effect', [started, settled('n/1/1/2')]],
    ['has an effect that is settled twice', [started, settled('n/1/1/1'), settled('n/1/1/1')]],
    ['has an effect that is settled after its end', [started, completed, settled('n/1/1/1')]],
  ])('that %s is noticed', (_what, events) => {
    expect(problemsOf(...events)).toHaveLength(1);
  });

  it('that ends once with its own outcome is fine', () => {
    expect(problemsOf(started, settled('n/1/1/1'), completed)).toEqual([]);
  });
});

describe('a merge', () => {
  const settings = { outputAttestation: { requireApproval: true }, verifier: { workflowId: 'critic' } };
  const nodes = [{ id: 'n', typeId: 'core.subWorkflow', settings }] as never;
  const event = (type: string, payload: object) => ({ type, payload, nodeId: 'n', sequence: 0 });
  const verified = (verdict: string) => event('agent.verified', { verdict });
  const accepted = event('approval.received', { action: 'accept', decidedBy: 'ana' });
  const merged = event('baton.merge.settled', { merged: true });
  const problemsOf = (...events: readonly object[]) => {
    const watch = mergeWatch({ nodes });
    return events.flatMap((one) => watch(one as RunEvent));
  };

  it.each([
    ['by nobody', [merged]],
    ['by a critic alone', [verified('pass'), merged]],
    ['by a person alone', [accepted, merged]],
    ['against the verdict', [verified('fail'), accepted, merged]],
    ['before the answer', [verified('pass'), event('variable.changed', {}), accepted]],
    ['for an earlier child', [verified('pass'), accepted, merged, merged]],
  ])('that was permitted %s is noticed', (_by, events) => {
    expect(problemsOf(...events)).toHaveLength(1);
  });

  it('that was permitted by all is fine', () => {
    expect(problemsOf(verified('pass'), accepted, event('variable.changed', {}), merged)).toEqual([]);
  });
});

it('a plan is shrunk to the steps without which it does not fail', async () => {
  const steps = Array.from({ length: 23 }, (_, seed) => ({ after: 1, act: 'answer' as const, seed }));
  const needed = [3, 4, 17];
  const plan = { ...planOf(1, 'sqlite'), steps };
  const fails = async (smaller: Plan) =>
    needed.every((seed) => smaller.steps.some((step) => step.seed === seed));
  expect((await shrink(plan, fails)).steps.map(({ seed }) => seed)).toEqual(needed);
});
