import { changeListeners, type ListedRun } from '@baton/engine/ports';
import type { RunStatus } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { createFeed } from '../../events/feed.ts';
import { type ChangeReader, changedRuns } from './changed-runs.ts';

const row = (runId: string, status: RunStatus): ListedRun => ({
  runId,
  rootId: runId.split('.')[0] ?? runId,
  tenant: 'acme',
  principal: 'ada',
  workflowId: 'w',
  workflowVersion: 1,
  tags: [],
  createdAt: 0,
  updatedAt: 0,
  status,
  head: 1,
});

/** A table of runs, whose changes are read when the test lets the gathering time pass. */
function watched() {
  const feed = createFeed();
  const { changes, tell } = changeListeners();
  const runs = new Map<string, RunStatus>();
  const timers: (() => void)[] = [];
  const reads: (readonly string[])[] = [];
  let fails = false;
  const all = changedRuns({
    feed,
    changes,
    reads: {
      async listedRuns(_tenant, ids) {
        reads.push(ids);
        if (fails) throw new Error('the disk is gone');
        return ids.flatMap((id) => (runs.has(id) ? [row(id, runs.get(id) ?? 'failed')] : []));
      },
    },
    telling: { json: (tenant, text) => text.replaceAll('secret', `[${tenant}]`) },
    turns: { take: (_tenant, work) => work() },
    later: (_ms, callback) => {
      timers.push(callback);
      return () => void timers.splice(timers.indexOf(callback), 1);
    },
    log: { error: () => undefined },
  });
  return {
    all,
    timers,
    reads,
    change: tell,
    fail: () => {
      fails = true;
    },
    move(runId: string, status: RunStatus) {
      runs.set(runId, status);
      feed.publish([{ runId, lastSequence: 0, status }]);
    },
    async pass() {
      for (const timer of timers.splice(0)) timer();
      await new Promise(setImmediate);
    },
  };
}

function reader() {
  const heard: string[] = [];
  const listening: ChangeReader = {
    changed: (runId, summary) => void heard.push(`${runId} ${JSON.parse(summary).status}`),
    missed: () => void heard.push('missed'),
  };
  return { heard, listening };
}

describe('the runs that changed', () => {
  it('are gathered, and told once with their newest state to all readers of the tenant', async () => {
    const { all, move, pass, reads } = watched();
    const [one, other] = [reader(), reader()];
    all.watch('acme', one.listening);
    all.watch('acme', other.listening);
    move('a', 'running');
    move('b', 'running');
    move('a', 'failed');
    expect(one.heard).toEqual([]);
    await pass();
    expect(one.heard).toEqual(['a failed', 'b running']);
    expect(other.heard).toEqual(one.heard);
    expect(reads).toEqual([['a', 'b']]);
    move('b', 'completed');
    await pass();
    expect(one.heard.at(-1)).toBe('b completed');
  });

  it('are told together with the runs above them, whose questions may have changed', async () => {
    const { all, move, pass } = watched();
    const { heard, listening } = reader();
    for (const id of ['a', 'a.1']) move(id, 'running');
    all.watch('acme', listening);
    move('a.1.2', 'waiting-input');
    await pass();
    expect(heard).toEqual(['a.1.2 waiting-input', 'a.1 running', 'a running']);
  });

  it('cost nothing while nobody reads', async () => {
    const { all, move, timers, pass, reads } = watched();
    const { heard, listening } = reader();
    move('a', 'running');
    const stop = all.watch('acme', listening);
    move('b', 'running');
    stop();
    expect(timers).toEqual([]);
    move('b', 'failed');
    await pass();
    expect([heard, reads]).toEqual([[], []]);
    all.watch('acme', listening);
    move('c', 'running');
    await pass();
    expect(heard).toEqual(['c running']);
  });

  it('are all told, however many there are, in several reads', async () => {
    const { all, move, pass, reads } = watched();
    const { heard, listening } = reader();
    all.watch('acme', listening);
    for (let n = 0; n < 450; n += 1) move(`r${n}`, 'running');
    await pass();
    expect(reads.map((ids) => ids.length)).toEqual([200, 200, 50]);
    expect(heard).toHaveLength(450);
  });

  it('have to be read again when they are too many, when they cannot be read, or when changes were missed', async () => {
    const { all, move, pass, change, fail } = watched();
    const { heard, listening } = reader();
    all.watch('acme', listening);
    for (let n = 0; n <= 20_000; n += 1) move(`r${n}`, 'running');
    expect(heard).toEqual(['missed']);
    change({ kind: 'missed' });
    all.missed('acme');
    all.missed('nobody');
    expect(heard).toEqual(['missed', 'missed', 'missed']);
    await pass();
    fail();
    move('a', 'running');
    await pass();
    expect(heard).toEqual(['missed', 'missed', 'missed', 'missed']);
  });

  it('include those whose contents were erased', async () => {
    const { all, move, pass, change } = watched();
    const { heard, listening } = reader();
    move('a', 'failed');
    all.watch('acme', listening);
    change({ kind: 'log', runId: 'a' });
    await pass();
    expect(heard).toEqual(['a failed']);
  });
});
