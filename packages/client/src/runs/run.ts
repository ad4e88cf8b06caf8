import type {
  DebugBundle,
  ForkRun,
  RunAncestry,
  RunEvent,
  RunForked,
  RunOptionsOverlay,
  RunSnapshot,
  WaitingInterrupt,
} from '@baton/protocol';
import type { EventsOptions, LiveItem } from '../events/follow.ts';
import type { TreeItem, TreeOptions } from '../events/tree.ts';
import type { CallOptions, CommandOptions } from '../http/connection.ts';
import type { Answer, Body } from '../http/contract-types.ts';
import type { InterruptAnswer, RunMoved } from '../interrupts.ts';

/** The state of a run before one of its events. */
export type RunState = Answer<'readRunState'>;
export type RunDiff = Answer<'diffRuns'>;
export type RunAttestations = Answer<'readAttestations'>;
export type RunArtifact = Answer<'readArtifact'>;

/** How a fork was made, and the handle of the new run. */
export interface Fork extends RunForked {
  readonly run: Run;
}

export interface ForkOptions extends CommandOptions, Pick<ForkRun, 'models'> {
  /** The replay begins with the events before this one as they are. Default: 0, all events are repeated. */
  readonly at?: number;
}

export interface BranchOptions extends CommandOptions, RunOptionsOverlay {
  /** The branch begins with the state before this event. Default: 0, the beginning. */
  readonly at?: number;
}

export interface AnswerOptions extends CommandOptions {
  /** The node that waits. It may be absent when the run and its descendants have only one open interrupt. */
  readonly nodeId?: string;
}

/**
 * One run of a host. The handle holds no state: each method asks the host.
 *
 * @example
 * ```ts
 * import { connect } from '@baton/client';
 *
 * const baton = connect({ url: 'http://127.0.0.1:4747', key: 'a-key' });
 * const run = await baton.runs.start('vetted-report', { topic: 'tides' });
 * for await (const event of run.events()) {
 *   if (event.type === 'interrupt.requested') await run.answer({ action: 'accept' });
 * }
 * const { variables } = await run.result();
 * console.log(variables);
 * ```
 */
export interface Run {
  readonly id: string;

  /**
   * The log, from `from` on: each event once and in order, across lost connections and restarts of the host. The
   * iterator ends after the last event of a run that has ended. Leaving it, or aborting its signal, does not cancel
   * the run.
   */
  events(options?: EventsOptions): AsyncGenerator<RunEvent, void, undefined>;
  /** The log as `events` gives it, with the parts of the texts of agents in between, as models write them. */
  live(options?: EventsOptions): AsyncGenerator<LiveItem, void, undefined>;
  /**
   * The logs of the run and all its descendants as one stream over one connection: each event once, in the order in
   * which they happened, with parts of texts in between. It ends when all runs have ended.
   */
  tree(options?: TreeOptions): AsyncGenerator<TreeItem, void, undefined>;
  /** The state of the run after each change, until it has ended. A slow reader gets fewer states, and always the last. */
  values(options?: CallOptions): AsyncGenerator<RunSnapshot, void, undefined>;
  /** The log as it is now, as a list. */
  log(options?: EventsOptions): Promise<readonly RunEvent[]>;
  /**
   * Waits until the run has completed, also while it waits for people. Rejects with `run_failed`, whose `runError` is
   * the error of the run, or with `run_cancelled`.
   */
  result(options?: CallOptions): Promise<RunSnapshot>;

  snapshot(options?: CallOptions): Promise<RunSnapshot>;
  /** The state before event `sequence`, as a branch from there would begin with it. */
  stateAt(sequence: number, options?: CallOptions): Promise<RunState>;
  /** The present state with the memory of the run. */
  state(options?: CallOptions): Promise<RunState>;
  /** Open interrupts of the run and its descendants, oldest first. */
  interrupts(options?: CallOptions): Promise<readonly WaitingInterrupt[]>;
  /** Answers the interrupt of a node, or the only open interrupt of the run and its descendants. */
  answer(answer: InterruptAnswer, options?: AnswerOptions): Promise<RunMoved>;

  cancel(options?: Body<'cancelRun'> & CommandOptions): Promise<RunMoved>;
  pause(options?: Body<'pauseRun'> & CommandOptions): Promise<RunMoved>;
  resume(options?: Body<'resumeRun'> & CommandOptions): Promise<RunMoved>;
  /** Erases the data of the run and its descendants. This cannot be undone. */
  erase(options: Body<'eraseRun'> & CommandOptions): Promise<Answer<'eraseRun'>>;

  /** A replay: a new run that repeats this one with the recorded outcomes and performs no effects. */
  fork(options?: ForkOptions): Promise<Fork>;
  /** A new run that goes on by itself from the state before event `at`, with the changes that the options name. */
  branch(options?: BranchOptions): Promise<Fork>;
  /** A branch at the node that failed. */
  retry(options?: RunOptionsOverlay & CommandOptions): Promise<Fork>;

  /** Compares this run with another one, event by event. */
  diff(other: Run | string, options?: CallOptions): Promise<RunDiff>;
  /** Merges from children, and whether the logs still match the recorded checksums. */
  attestations(options?: CallOptions): Promise<RunAttestations>;
  /** The run that started this one, on this host or on another one. */
  ancestry(options?: CallOptions): Promise<RunAncestry>;
  artifact(artifactId: string, options?: CallOptions): Promise<RunArtifact>;
  /** The run with its descendants as one document, which `baton.runs.import` of another host takes. */
  bundle(options?: CallOptions): Promise<DebugBundle>;
}
