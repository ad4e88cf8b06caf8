import type {
  AgentCheck,
  EffectIntent,
  EventOf,
  Json,
  JsonObject,
  MemoryLayer,
  PortValue,
  RunError,
  RunEvent,
  RunLimits,
  Scope,
  SuspendRequest,
  TriggerRule,
  WorkflowDefinition,
  WorkflowNode,
} from '@baton/protocol';
import type { TSchema } from 'typebox';
import type { MemoryChange, MemoryQuery, MemoryRow } from '../ports/memory.ts';
import type { ForkPoint } from '../ports/store.ts';
import type { Condition } from './graph/condition.ts';
import type { Expression } from './graph/expression.ts';
import type { Loop } from './graph/loops.ts';
import type { StepMeter } from './graph/step-meter.ts';
import type { EffectStep, Run } from './run.ts';
import type { Sensitivity } from './secrecy/sensitivity.ts';
import type { Vault } from './secrecy/vault.ts';
import type { ReplacedText, TranscriptLine, Want } from './want.ts';

/**
 * A node type and all values that it may use: its plan, the working run, the tree, the source of a replay.
 * The types below refer to one another, so they are in one file. `graph/plan.ts`, `working-run.ts` and
 * `replay/source.ts` export some of them together with the functions for them.
 */

/**
 * To add a node type: a file in `nodes/` with one of these, and a line in `nodes/index.ts`. A node type has
 * no clock, no randomness and no I/O. Most types only read the run and return a result, which the kernel
 * records. A type that returns `act`, or has `proceed`, records events itself with `emit`.
 */
export interface NodeType {
  readonly typeId: string;
  /** Configurations are checked against this when a workflow is registered. */
  readonly config: TSchema;
  /** Required capabilities of the host. If one is missing, the node fails; the registration does not. */
  readonly requires?: readonly string[];
  /** Scopes that the run must have, in addition to the `requiredScopes` in the settings of the node. */
  readonly scopes?: readonly Scope[];
  /** Further checks at registration. Each returned problem is one sentence that names the field. */
  check?(node: WorkflowNode): readonly string[];
  start(node: NodeView): Start;
  /**
   * Called when an effect of the node is done. Without this function, the outputs of the effect are the
   * outputs of the node. All events of one outcome must be recorded at once.
   */
  outcome?(settled: SettledEffect): Finish | Act | Perform;
  /** Whether the node may be tried again after these effects. Without this function, it may. */
  canRepeat?(steps: readonly EffectStep[]): boolean;
  /** Records what a failed try of an effect has cost. */
  spent?(working: WorkingRun, nodeId: string, step: EffectStep, spent: JsonObject): void;
  /** Called before the node fails because one of its effects failed. It may record events. */
  failing?(working: WorkingRun, nodeId: string, error: RunError): void;
  /**
   * The request of an effect as it is performed, for nodes whose intents record only a part of it. The request
   * must follow from recorded values, so that it is the same after a crash.
   */
  request?(working: WorkingRun, nodeId: string, step: number): Json;
  /** Called for nodes that returned `act` or `proceed`, whenever their tree advanced. True when an event was recorded. */
  proceed?(working: WorkingRun, nodeId: string): boolean;
  /**
   * May throw a refusal for an answer that only this node type can check. Called before the answer is
   * recorded.
   */
  checkAnswer?(working: WorkingRun, nodeId: string, value: JsonObject): void;
  /** Called when the node's interrupt was answered, refused or timed out. */
  answered?(node: NodeView, answer: Answer): Finish | Act;
}

/** The values that a node may read. */
export interface NodeView {
  readonly node: WorkflowNode;
  readonly config: JsonObject;
  readonly inputs: JsonObject;
  readonly run: Run;
  /** Which execution of this node this is, from 1. */
  readonly execution: number;
  /** The contents of the turn's inputs, for a supervisor that decides by an expression. */
  readonly turn?: JsonObject;
  /** Counts the steps of the node's expressions and of those on its ports. */
  readonly meter: StepMeter;
}

/** An effect that is done, and the effects of the same attempt of the node, in the order of their steps. */
export interface SettledEffect {
  readonly node: WorkflowNode;
  readonly config: JsonObject;
  readonly step: EffectStep;
  readonly outputs: JsonObject;
  readonly steps: readonly EffectStep[];
}

export type Finish =
  | { readonly do: 'complete'; readonly outputs?: JsonObject; readonly assign?: Assignments }
  | { readonly do: 'fail'; readonly error: RunError; readonly retryable?: boolean };

/** Variables to set. `undefined` unsets a variable. */
export type Assignments = Readonly<Record<string, Json | undefined>>;

/** The node records events itself, and completes, fails or waits. */
export interface Act {
  readonly do: 'act';
  readonly act: (working: WorkingRun, nodeId: string) => void;
}

/**
 * The node goes on with its `proceed`. If this needs a look-up or a commit first, the step ends with the start of the
 * node, and `proceed` is called again.
 */
interface Proceed {
  readonly do: 'proceed';
  /** A worker whose outputs pass a merge gate. It is recorded with the start of the node. */
  readonly handsTo?: string;
}

/** The node asks for these effects. None: it waits for those that are not settled yet. */
export interface Perform {
  readonly do: 'perform';
  readonly effects: readonly EffectIntent[];
}

export type Start =
  | Finish
  | Act
  | Proceed
  | { readonly do: 'sleep'; readonly ms: number }
  | Perform
  | { readonly do: 'ask'; readonly request: (key: string) => SuspendRequest };

export type Answer = (
  | { readonly outcome: 'answered' | 'rejected'; readonly value: JsonObject }
  | { readonly outcome: 'timeout' }
) & {
  /** The question as it was asked. The values of the node's ports may have changed since. */
  readonly request: SuspendRequest;
  /** The event that closed the question. It is the cause of the next events. */
  readonly resolvedId: string;
};

/** A definition prepared for running: edges by node, compiled expressions, and the loop. */
export interface Plan {
  readonly digest: string;
  readonly definition: WorkflowDefinition;
  readonly nodes: ReadonlyMap<string, PlanNode>;
  readonly order: readonly PlanNode[];
  /** Absent when no value of the definition is marked as sensitive. */
  readonly sensitivity?: Sensitivity;
}

export interface PlanNode {
  readonly id: string;
  readonly node: WorkflowNode;
  readonly type: NodeType;
  readonly config: JsonObject;
  readonly ports: readonly Port[];
  /** Forward edges only. The back edge of the loop is in `loop`. */
  readonly incoming: readonly PlanEdge[];
  readonly loop?: Loop;
  /** True when an edge is triggered by a failure of this node, so that the failure does not end the run. */
  readonly failureHandled: boolean;
}

export interface PlanEdge {
  readonly source: string;
  readonly rule: TriggerRule;
  readonly condition?: Condition;
}

export interface Port {
  readonly name: string;
  readonly value:
    | Exclude<PortValue, { type: 'expression' }>
    | { readonly type: 'expression'; readonly run: Expression };
}

/** The version of a workflow that a child would be started with: the newest version at this time. */
export interface ResolvedWorkflow {
  readonly version: number;
  readonly plan: Plan;
}

/** The time, the limits and the look-ups that the kernel can use during one slice. */
export interface World extends Vault {
  readonly now: number;
  /** `now` in the form that events contain. */
  readonly timestamp: string;
  readonly limits: RunLimits;
  readonly maxDepth: number;
  readonly maxEventBytes: number;
  readonly chainEvents: boolean;
  /** A person is asked about a decision with a confidence below this. */
  readonly confidenceFloor: number;
  /** The checks of agents that a new run makes. */
  readonly agentChecks: readonly AgentCheck[];
  readonly provides: ReadonlySet<string>;
  /**
   * `unknown` when the driver has not looked the workflow up yet. It does so, and then calls the kernel
   * again.
   */
  workflow(tenant: string, id: string): ResolvedWorkflow | 'absent' | 'unknown';
  /**
   * Whether a replay performs this effect too and compares the outcome. It does so only for calls to models.
   */
  asksAgain(effect: EffectIntent, models: 'recorded' | 'live'): boolean;
  /**
   * Stored memory, without the changes of this slice. `unknown` has the same meaning as above, also below.
   */
  memory(query: MemoryQuery): readonly MemoryRow[] | 'unknown';
  /** How many versions of a memory scope are stored. */
  scopeVersion(tenant: string, scope: string): number | 'unknown';
  /** The present version of the tenant's workspace. `undefined` when no file was ever written. */
  workspace(tenant: string): MemoryLayer | undefined | 'unknown';
  /** Stored events of a run from a sequence on. */
  transcript(runId: string, from: number, limit: number): readonly TranscriptLine[] | 'unknown';
  /** How many of the latest events a supervisor's turn is given. */
  readonly transcriptWindow: number;
}

/** A root run and its descendants that have not ended. One slice belongs to one tree. */
export interface Tree {
  readonly rootId: string;
  readonly runs: Map<string, WorkingRun>;
  /** Runs that may be able to take a step, the last one first. */
  readonly agenda: string[];
  readonly wanted: Want[];
  /** Keys of effects that a replay has reached and performs again. */
  readonly asking: Set<string>;
  /**
   * For tokens of this host, the tokens that a replay's source has instead; see `replay/foreign-seals.ts`.
   */
  readonly foreignSeals: Map<string, string>;
  /**
   * For checksums of values with ids of runs, the checksums of the source; see `replay/named-checksums.ts`.
   */
  readonly namedChecksums: Map<string, string>;
  /** The changes of the slice to memory, in their order. */
  changes: MemoryChange[];
  /**
   * A step must read memory that is not stored yet. The slice ends, and the step is taken again after its
   * commit.
   */
  awaitsCommit: boolean;
  /** How many steps the meters of conditions have counted so far. */
  work: number;
  /** The search for a node that can start was interrupted, so that other trees are not delayed. */
  resting: boolean;
  world: World;
  /** Size of the slice so far. */
  events: number;
  bytes: number;
  /** The run of each event of the slice, in the order of the events. The order is stored too. */
  happened: WorkingRun[];
  /** Where in `happened` a step begins. */
  steps: number[];
  /** Texts of the slice in which half of a character was replaced by U+FFFD. */
  replaced: ReplacedText[];
}

/** A run while a slice is made: its stored state, its present state and the events in between. */
export interface WorkingRun {
  readonly tree: Tree;
  readonly plan: Plan;
  base: Run | undefined;
  run: Run;
  texts: string[];
  /** How many nodes of the plan were found unable to start in this state of the run. */
  searched?: { readonly run: Run; readonly nodes: number };
  /** Where the run was forked from, while it is not stored yet. */
  readonly point?: ForkPoint;
  /** The state at the fork point, while it is not stored yet. */
  readonly inherited?: Run;
  /** The source of a replay. */
  source?: Source;
}

/** The log of the run that a replay was forked from, as far as the driver has read it. */
export interface Source {
  /** The next events of the source, from the head of the replay on. */
  ahead: Recorded[];
  /** There are no further events after those in `ahead`. */
  complete: boolean;
  /**
   * The replay no longer follows, because the source was stopped from outside or the replay differs from it.
   */
  left: boolean;
  /** The first events of the source's children, by the number of the child. */
  readonly children: Map<number, RecordedChild | 'absent'>;
  /** The outcomes of effects, by `effectKey`. Only a replay that has diverged reads them. */
  outcomes?: ReadonlyMap<string, RecordedOutcome>;
}

/** The recorded outcome of an effect. */
export interface RecordedOutcome {
  /** The tries that failed before it. */
  readonly retried: readonly EventOf<'baton.effect.retried'>[];
  readonly settled: EventOf<'baton.effect.settled'>;
  /** The outcome, and the events that the node recorded for it. */
  readonly burst: readonly RunEvent[];
}

export interface RecordedChild {
  readonly workflow: ResolvedWorkflow;
  readonly started: EventOf<'run.started'>;
  readonly text: string;
}

/** One event of the source, with its place in the order of its tree. */
export interface Recorded {
  readonly place: number;
  readonly text: string;
  readonly event: RunEvent;
  readonly starts: boolean;
  /** The place of the last event of its step. */
  readonly stepEnd: number;
  /** When it happened, in epoch milliseconds. */
  readonly at: number;
}
