import type { JobQueue } from './job-queue.ts';
import type { JobRunner } from './job-runner.ts';
import { type JobsUnderWay, jobsUnderWay } from './jobs-under-way.ts';
import { type Rounds, roundsOf } from './rounds.ts';
import { settlerOf } from './settle-round.ts';
import { roundStorer } from './store-round.ts';

type Settling = Parameters<typeof settlerOf>[0];
type Storing = Parameters<typeof roundStorer>[0];

interface JobRoundsOptions
  extends Pick<Settling, 'clock' | 'random' | 'finish' | 'take' | 'left' | 'log'>,
    Pick<Storing, 'store' | 'stored'>,
    Pick<Parameters<typeof jobsUnderWay>[0], 'meters' | 'onFatal'>,
    Pick<Parameters<typeof roundsOf>[0], 'between'> {
  readonly queue: JobQueue;
  readonly runner: JobRunner;
  readonly pump: () => void;
}

/** The jobs of an engine and the rounds in which their slices are stored. */
export function jobRounds(options: JobRoundsOptions): {
  readonly jobs: JobsUnderWay;
  readonly rounds: Rounds;
} {
  const { queue, runner, meters, onFatal, between, pump } = options;
  const { fair, taken } = queue;
  const jobs = jobsUnderWay({ queue: fair, meters, work: runner.work, taken, done: pump, onFatal });
  const settle = settlerOf({ ...options, forget: runner.refused });
  const store = roundStorer({ ...options, jobs, settle });
  const rounds = roundsOf({ jobs, queued: () => fair.size, store, between, onFatal });
  return { jobs, rounds };
}
