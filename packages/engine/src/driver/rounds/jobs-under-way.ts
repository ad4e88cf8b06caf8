import { turnOfOthers } from '../turn-of-others.ts';
import { type BusyTrees, busyTrees } from './busy-trees.ts';
import type { FairQueue } from './fair-queue.ts';
import { type Outcome, type QueuedJob, reservedTree, workOf } from './job.ts';
import type { JobMeter, Meters } from './job-meter.ts';

/**
 * Starts jobs from the queue and collects their outcomes. A job that waits for the store does not keep others
 * waiting: they are started meanwhile, unless they are of the same tree. Over a store that answers at once,
 * each job is done before the next is started.
 */
export interface JobsUnderWay {
  /** Jobs that were started and are not done. */
  readonly count: number;
  /** Jobs that are done, and whose slices are not being stored yet. */
  readonly ready: number;
  /** Starts jobs until the round is full or no job can be started. Returns whether it started one. */
  start(): Promise<boolean>;
  /** The outcomes of this round. The next call of `start` begins another. */
  takeRound(): readonly FinishedJob[];
  /** The slice of the job was stored or refused: another job of its tree may begin. */
  release(job: QueuedJob): void;
  /** Removes the jobs that wait for a tree and that nobody waits for. */
  dropUnanswered(): void;
}

export interface FinishedJob {
  readonly queued: QueuedJob;
  readonly outcome: Outcome;
}

interface JobsOptions {
  readonly queue: FairQueue<QueuedJob>;
  readonly meters: Meters;
  /** `alone`: no other job waits. */
  readonly work: (job: QueuedJob['job'], meter: JobMeter, alone: boolean) => Promise<Outcome>;
  /** Called when a job leaves the queue. */
  readonly taken: (queued: QueuedJob) => void;
  /** Called when a job is done. */
  readonly done: () => void;
  /** The store can no longer be trusted. */
  readonly onFatal: (error: unknown) => void;
}

/** How much one round takes on before it is stored. */
const ROUND_SLICES = 256;
const ROUND_EVENTS = 4096;
const ROUND_MS = 6;
/** How many jobs may wait for the store at the same time. Each may hold a tree in memory. */
const MOST_UNDER_WAY = 128;

export function jobsUnderWay(options: JobsOptions): JobsUnderWay {
  const { queue, meters, work, taken, done, onFatal } = options;
  const busy: BusyTrees<QueuedJob> = busyTrees();
  let finished: FinishedJob[] = [];
  let count = 0;
  let events = 0;
  let spent = 0;

  const isFull = () =>
    finished.length >= ROUND_SLICES || events >= ROUND_EVENTS || spent >= ROUND_MS || count >= MOST_UNDER_WAY;

  async function run(queued: QueuedJob): Promise<void> {
    const meter = meters.meterOf(workOf(queued.job));
    meter.enter();
    try {
      const outcome = await work(queued.job, meter, queue.size === 0);
      for (const advance of outcome.slice?.runs ?? []) events += advance.events.length;
      finished.push({ queued, outcome });
    } finally {
      meter.leave();
      queue.charge(queued.lane, meter.spent());
      spent += meter.spent();
      count -= 1;
      done();
    }
  }

  /** Whether the job can begin. Otherwise it waits for its tree. */
  function reserves(queued: QueuedJob): boolean {
    const tree = reservation(queued);
    return tree === undefined || queued.holdsTree === true || busy.take(tree, queued);
  }

  return {
    get count() {
      return count;
    },
    get ready() {
      return finished.length;
    },
    async start() {
      let started = false;
      while (!isFull()) {
        const next = queue.next();
        // A tenant whose last job took long waits for the next round: the jobs of others are stored first.
        if (next === undefined || (finished.length > 0 && queue.lastTook(next.lane) > ROUND_MS)) break;
        const queued = queue.take() ?? next;
        if (!reserves(queued)) continue;
        taken(queued);
        count += 1;
        started = true;
        await Promise.race([run(queued).catch(onFatal), turnOfOthers()]);
      }
      meters.rest();
      return started;
    },
    takeRound() {
      const round = finished;
      finished = [];
      events = 0;
      spent = 0;
      return round;
    },
    release(queued) {
      const tree = reservation(queued);
      const next = tree === undefined ? undefined : busy.handOn(tree);
      if (next !== undefined) queue.add({ ...next, holdsTree: true }, next.lane, 'urgent');
    },
    dropUnanswered: () => busy.keepOnly(({ answer }) => answer !== undefined),
  };
}

/**
 * All jobs that compute a tree are in the lane of its tenant. A command of another tenant that names the tree
 * is refused without the tree, so it must not keep the tree from its own tenant.
 */
function reservation({ job, lane }: QueuedJob): string | undefined {
  const rootId = reservedTree(job);
  return rootId === undefined ? undefined : `${lane}\n${rootId}`;
}
