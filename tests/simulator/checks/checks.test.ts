import type { Slice } from '@baton/engine';
import type { RunEvent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { mergesWithoutPermission } from './check-merges.ts';
import { ledgerOf } from './ledger.ts';
import { type Plan, planOf } from './plan.ts';
import { shrink } from './shrink.ts';

/** The checks of the simulator see what they are there for. */

const slice = (rootId: string, from: number, head: number, status = 'running', runId = rootId): Slice => ({
  rootId,
  from,
  runs: [
    {
      runId,
      expectedHead: head,
      events: ['{}'],
      status: status as 'running',
      at: 0,
      interruptsOpened: [],
      interruptsClosed: [],
    },
  ],
});

describe('the ledger notices', () => {
  const entered = (...slices: readonly Slice[]) => {
    const ledger = ledgerOf();
    return slices.flatMap((one) => ledger.enter([one], ['committed'], new Set(), true));
  };

  it.each([
    ['a slice from a place that is past', [slice('a', 0, 0), slice('a', 0, 1)], 'goes on from 0'],
    ['a gap in a log', [slice('a', 0, 0), slice('a', 1, 2)], 'were stored from 2'],
    ['an event after the end', [slice('a', 0, 0, 'failed'), slice('a', 1, 1)], 'after its end'],
    ['a run of another tree', [slice('a', 0, 0, 'running', 'b')], 'changed b'],
  ])('%s', (_what, slices, problem) => {
    expect(entered(...slices)).toEqual([expect.stringContaining(problem)]);
  });

  it('a conflict that a host alone has made itself, and none that was made for it', () => {
    const ledger = ledgerOf();
    ledger.enter([slice('a', 0, 0)], ['committed'], new Set(), true);
    const late = slice('a', 0, 1);
    expect(ledger.enter([late], ['conflict'], new Set(), true)).toHaveLength(1);
    expect(ledger.enter([late], ['conflict'], new Set([late]), true)).toEqual([]);
    expect(ledger.enter([late], ['conflict'], new Set(), false)).toEqual([]);
  });
});

describe('a merge', () => {
  const settings = { outputAttestation: { requireApproval: true }, verifier: { workflowId: 'critic' } };
  const definition = JSON.stringify({ id: 'w', nodes: [{ id: 'n', typeId: 'core.subWorkflow', settings }] });
  const event = (type: string, payload: object) => ({ type, payload, nodeId: 'n', sequence: 0 });
  const verified = (verdict: string) => event('agent.verified', { verdict });
  const accepted = event('approval.received', { action: 'accept', decidedBy: 'ana' });
  const merged = event('baton.merge.settled', { merged: true });
  const problemsOf = (...events: readonly object[]) => {
    const reads = { definition: async () => definition };
    const log = [event('run.started', { definition: 'digest' }), ...events] as unknown as RunEvent[];
    return mergesWithoutPermission({ reads } as never, log);
  };

  it.each([
    ['by nobody', [merged]],
    ['by a critic alone', [verified('pass'), merged]],
    ['by a person alone', [accepted, merged]],
    ['against the verdict', [verified('fail'), accepted, merged]],
    ['before the answer', [verified('pass'), event('variable.changed', {}), accepted]],
    ['for an earlier child', [verified('pass'), accepted, merged, merged]],
  ])('that was permitted %s is noticed', async (_by, events) => {
    expect(await problemsOf(...events)).toHaveLength(1);
  });

  it('that was permitted by all is fine', async () => {
    expect(await problemsOf(verified('pass'), accepted, event('variable.changed', {}), merged)).toEqual([]);
  });
});

it('a plan is shrunk to the steps without which it does not fail', async () => {
  const steps = Array.from({ length: 23 }, (_, seed) => ({ after: 1, act: 'answer' as const, seed }));
  const needed = [3, 4, 17];
  const plan = { ...planOf(1), steps };
  const fails = async (smaller: Plan) =>
    needed.every((seed) => smaller.steps.some((step) => step.seed === seed));
  expect((await shrink(plan, fails)).steps.map(({ seed }) => seed)).toEqual(needed);
});
