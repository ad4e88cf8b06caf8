import type { OpenInterrupt, RunAudit } from '@baton/engine';
import type { ApprovalAction, Json, JsonObject, RunError, RunEvent, RunStatus } from '@baton/protocol';
import type { Duration } from './duration.ts';
import type { Merge } from './merges.ts';

/** A run of the tree: the run that the test started, or one of its descendants. */
export interface RunInTree {
  readonly runId: string;
  readonly workflowId: string;
  readonly status: RunStatus;
  readonly events: readonly RunEvent[];
  readonly variables: JsonObject;
}

/** A question that nobody has answered yet. */
export interface OpenQuestion {
  readonly runId: string;
  readonly nodeId: string;
  readonly kind: OpenInterrupt['request']['kind'];
  readonly data: JsonObject;
  readonly expiresAt?: number;
}

/** Who answers a question. */
export interface AnswerOptions {
  /** The principal. `reviewer` if absent; runs are started by `author`. */
  readonly by?: string;
  /** The scopes of the key of the principal. */
  readonly scopes?: readonly string[];
}

/** The run of a test. Its state is that of the last step. */
export interface TestRun {
  readonly runId: string;
  readonly status: RunStatus;
  /** The log of the run. */
  readonly events: readonly RunEvent[];
  readonly variables: JsonObject;
  readonly error: RunError | undefined;
  /** The runs below, in the order in which they were started. */
  readonly descendants: readonly RunInTree[];
  /** The questions of the run and of its descendants. */
  readonly questions: readonly OpenQuestion[];
  /** What came to a merge gate of the run, and what the gate decided. */
  readonly merges: readonly Merge[];
  /** The simulated time. */
  readonly now: Date;
  /** Answers the question of a node, of this run or of one below. */
  answer(nodeId: string, value: Json, options?: AnswerOptions): Promise<void>;
  /** Answers a question for approval. */
  decide(nodeId: string, action: ApprovalAction, more?: JsonObject, options?: AnswerOptions): Promise<void>;
  /** Lets time pass. Everything that is due meanwhile happens at its time. */
  pass(duration: Duration): Promise<void>;
  /** Lets time pass until the run has ended, or somebody has to answer, or time alone changes nothing more. */
  untilAtRest(): Promise<void>;
  cancel(reason?: string): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Recomputes the checksums of all merges from the logs, as `baton verify` does. */
  audit(): Promise<RunAudit>;
  /** The events of the run and of its descendants, as text for people. */
  describe(): string;
}
