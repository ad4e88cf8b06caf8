import { BatonError } from '@baton/protocol';
import type { Clock } from '../../ports/clock.ts';
import { refused } from '../replies.ts';
import { type FairQueue, fairQueue } from './fair-queue.ts';
import type { QueuedJob } from './job.ts';

/** The jobs that wait for the thread. A tree is queued once, however often it is woken. */
export interface JobQueue {
  readonly fair: FairQueue<QueuedJob>;
  add(queued: QueuedJob): void;
  /** Puts the job into the queue at this time. A tree counts as queued meanwhile. */
  addLater(queued: QueuedJob, at: number): void;
  wake(rootId: string, lane: string): void;
  /** Looks for effects of the tree that this host is to perform. */
  look(rootId: string, lane: string): void;
  /** Must be called when a job begins. */
  taken(queued: QueuedJob): void;
  /** How many trees are queued. */
  trees(): number;
  /** Removes the jobs that nobody waits for, takes no more of them, and refuses those that wait for a time. */
  stop(): void;
}

export function jobQueue({ clock, pump }: { readonly clock: Clock; readonly pump: () => void }): JobQueue {
  const fair = fairQueue<QueuedJob>();
  const trees = new Set<string>();
  const looks = new Set<string>();
  const later = new Set<QueuedJob>();
  let stopping = false;

  function add(queued: QueuedJob): void {
    const { job, lane } = queued;
    if (job.kind === 'tree') trees.add(job.rootId);
    const isUrgent =
      job.kind === 'set-aside' || (job.kind === 'command' && job.command.kind === 'cancel-run');
    if (isUrgent) fair.add(queued, lane, 'urgent');
    else fair.add(queued, lane, job.kind === 'tree' ? 'tree' : 'command');
    pump();
  }

  return {
    fair,
    add,
    addLater(queued, at) {
      if (queued.job.kind === 'tree') trees.add(queued.job.rootId);
      later.add(queued);
      clock.at(at, () => {
        if (later.delete(queued)) add(queued);
      });
    },
    wake(rootId, lane) {
      if (!stopping && !trees.has(rootId)) add({ job: { kind: 'tree', rootId }, lane });
    },
    look(rootId, lane) {
      if (stopping || looks.has(rootId)) return;
      looks.add(rootId);
      add({ job: { kind: 'look', rootId }, lane });
    },
    taken({ job }) {
      if (job.kind === 'tree') trees.delete(job.rootId);
      else if (job.kind === 'look') looks.delete(job.rootId);
    },
    trees: () => trees.size,
    stop() {
      stopping = true;
      fair.keepOnly(({ answer, holdsTree }) => answer !== undefined || holdsTree === true);
      trees.clear();
      for (const { answer } of later) answer?.(refused(new BatonError('shutting_down').body()));
      later.clear();
    },
  };
}
