import { describe, expect, it } from 'vitest';
import type { Slice } from '../../ports/store.ts';
import type { QueuedJob } from './job.ts';
import { settlerOf } from './settle-round.ts';
import type { SliceFate } from './store-round.ts';

const SLICE: Slice = { rootId: 'a', from: 0, runs: [] };
const TREE: QueuedJob = { job: { kind: 'tree', rootId: 'a' }, lane: 'acme' };

/** What happens to a job, in words. */
function settled(queued: QueuedJob, fate: SliceFate, random = 1): readonly string[] {
  const said: string[] = [];
  const settle = settlerOf({
    clock: { now: () => 1000, at: () => () => undefined },
    random: () => random,
    finish: () => void said.push('finished'),
    queue: {
      add: ({ job, conflicts = 0, holdsTree }) =>
        void said.push(`queued ${job.kind} ${conflicts}${holdsTree ? ' with its tree' : ''}`),
      addLater: ({ conflicts = 0 }, at) => void said.push(`later ${conflicts} at ${at}`),
    },
    take: async (rootId) => void said.push(`took ${rootId}`),
    left: () => void said.push('followed its effects'),
    forget: ({ rootId }) => void said.push(`forgot ${rootId}`),
    log: () => undefined,
  });
  const answer = (reply: { readonly ok: boolean; readonly error?: { readonly error: string } }) =>
    void said.push(`answered ${reply.error?.error}`);
  settle({ queued: { ...queued, ...(queued.answer && { answer }) }, outcome: { slice: SLICE } }, fate);
  return said;
}

const asked = (command: object): QueuedJob => ({
  job: { kind: 'command', command: command as never },
  lane: 'acme',
  answer: () => undefined,
});

describe('a job whose slice', () => {
  it('was stored is finished', () => {
    expect(settled(TREE, 'committed')).toEqual(['finished']);
  });

  it('conflicted is computed again from the stored tree, and gives up the tree that it held', () => {
    expect(settled({ ...TREE, holdsTree: true }, 'conflict')).toEqual(['forgot a', 'queued tree 1']);
  });

  it('conflicted many times in a row waits a random time, longer each time, up to a bound', () => {
    expect(settled({ ...TREE, conflicts: 7 }, 'conflict')).toEqual(['forgot a', 'queued tree 8']);
    expect(settled({ ...TREE, conflicts: 8 }, 'conflict')).toEqual(['forgot a', 'later 9 at 1002']);
    expect(settled({ ...TREE, conflicts: 10 }, 'conflict')).toEqual(['forgot a', 'later 11 at 1008']);
    expect(settled({ ...TREE, conflicts: 10 }, 'conflict', 0.5)).toEqual(['forgot a', 'later 11 at 1004']);
    expect(settled({ ...TREE, conflicts: 99 }, 'conflict')).toEqual(['forgot a', 'later 100 at 1064']);
  });

  it('found no room is refused if somebody asked for it, and tried again later if nobody did', () => {
    expect(settled(asked({ kind: 'cancel-run' }), 'full')).toEqual(['forgot a', 'answered storage_full']);
    expect(settled(asked({ kind: 'effect-outcome' }), 'full')).toEqual(['forgot a', 'later 0 at 2000']);
    expect(settled(TREE, 'full')).toEqual(['forgot a', 'later 0 at 2000']);
  });

  it('could not be stored because the store was away is refused like one that found no room', () => {
    expect(settled(asked({ kind: 'cancel-run' }), 'unavailable')).toEqual([
      'forgot a',
      'answered store_unavailable',
    ]);
    expect(settled(TREE, 'unavailable')).toEqual(['forgot a', 'later 0 at 2000']);
  });

  it('goes on with a tree that another host keeps is dropped, and only its effects are followed', () => {
    expect(settled(TREE, 'taken')).toEqual(['forgot a', 'followed its effects']);
  });

  it('conflicted twice with another host takes the tree, if somebody asked for it', async () => {
    const cancel = asked({ kind: 'cancel-run', runId: 'a.1' });
    const said = settled({ ...cancel, conflicts: 1 }, 'conflict');
    await Promise.resolve();
    await Promise.resolve();
    expect(said).toEqual(['forgot a', 'took a', 'queued command 2']);
    expect(settled(cancel, 'conflict')).toEqual(['forgot a', 'queued command 1']);
  });

  it('can never be stored sets its tree aside, unless it has no runs and somebody asked for it', () => {
    expect(settled(TREE, { refused: 'no' })).toEqual(['forgot a', 'queued set-aside 0']);
    expect(settled(asked({ kind: 'cancel-run' }), { refused: 'no' })).toEqual([
      'forgot a',
      'answered internal_error',
    ]);
  });
});
