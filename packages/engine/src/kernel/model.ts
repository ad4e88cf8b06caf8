import type {
  EffectIntent,
  EventOf,
  FieldProblem,
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
import type { Run } from './run.ts';
import type { Sensitivity } from './secrecy/sensitivity.ts';
import type { Vault } from './secrecy/vault.ts';
import type { ReplacedText, TranscriptLine, Want } from './want.ts';

/**
 * A node type, and everything that it may see and touch: the plan that it is part of, the turn and the tree in which
 * it acts, the source that a replay follows. The types below refer to one another, so they stand in one file;
 * `graph/plan.ts`, `working-run.ts` and `replay/source.ts` export their part of them beside the functions.
 */

/**
 * To add a node type: a file in `nodes/` with one of these, and a line in `nodes/index.ts`.
 * A node type has no clock, no randomness and no I/O. Most types only see the run and answer with what should happen,
 * which the kernel records. A type that answers with `act`, or has `proceed`, records facts itself by `emit`.
 */
export interface NodeType {
  readonly typeId: string;
  /** Configurations are checked against this when a workflow is registered. */
  readonly config: TSchema;
  /** Host capabilities that must be there; a missing one fails the node, not the registration. */
  readonly requires?: readonly string[];
  /** What a run has to be allowed to do, beside what the author of the node asks for. */
  readonly scopes?: readonly Scope[];
  /** Further checks at registration; each complaint is one sentence naming the field. */
  check?(node: WorkflowNode): readonly string[];
  start(node: NodeView): Start;
  /**
   * Called when the node's effect is done, with the intent as it was recorded. Without it the outputs of the
   * effect are those of the node. All facts of one outcome must be recorded at once, the end of the node last.
   */
  outcome?(intent: EffectIntent, outputs: JsonObject): Finish | Act;
  /** Called for nodes that act on their own (`act`) whenever the tree moved. True when something happened. */
  proceed?(working: WorkingRun, nodeId: string): boolean;
  /** May throw a refusal for an answer that only the node can judge. Called before it is recorded. */
  checkAnswer?(working: WorkingRun, nodeId: string, value: JsonObject): void;
  /** Called when the node's interrupt was answered, refused or timed out. */
  answered?(node: NodeView, answer: Answer): Finish | Act;
}

/** What a node may look at. */
export interface NodeView {
  readonly node: WorkflowNode;
  readonly config: JsonObject;
  readonly inputs: JsonObject;
  readonly run: Run;
  /** Which execution of this node this is, from 1. */
  readonly execution: number;
  /** What a supervisor's turn was given, for one that decides by an expression. */
  readonly turn?: JsonObject;
  /** Counts what the expressions of the node do, together with those on its ports. */
  readonly meter: StepMeter;
}

export type Finish =
  | { readonly do: 'complete'; readonly outputs?: JsonObject; readonly assign?: Assignments }
  | { readonly do: 'fail'; readonly error: RunError; readonly retryable?: boolean };

/** Variables to set; `undefined` unsets. */
export type Assignments = Readonly<Record<string, Json | undefined>>;

/** Takes matters into its own hands: records facts itself, and finishes or waits. */
export interface Act {
  readonly do: 'act';
  /** A worker whose outputs pass a gate; recorded with the start of the node. */
  readonly handsTo?: string;
  readonly act: (working: WorkingRun, nodeId: string) => void;
}

export type Start =
  | Finish
  | Act
  | { readonly do: 'sleep'; readonly ms: number }
  | { readonly do: 'effect'; readonly effect: EffectIntent }
  | { readonly do: 'ask'; readonly request: (key: string) => SuspendRequest };

export type Answer = (
  | { readonly outcome: 'answered' | 'rejected'; readonly value: JsonObject }
  | { readonly outcome: 'timeout' }
) & {
  /** The question as it was put; ports may show something else by now. */
  readonly request: SuspendRequest;
  /** The event that settled the question, the cause of what follows. */
  readonly resolvedId: string;
};

/** A definition made ready to run: edges by node, expressions at hand, the loop found. */
export interface Plan {
  readonly digest: string;
  readonly definition: WorkflowDefinition;
  readonly nodes: ReadonlyMap<string, PlanNode>;
  readonly order: readonly PlanNode[];
  /** Why no further run may start: the definition was registered when larger ones were allowed. */
  readonly tooLarge?: FieldProblem;
  /** Nothing when nothing is marked as sensitive. */
  readonly sensitivity?: Sensitivity;
}

export interface PlanNode {
  readonly id: string;
  readonly node: WorkflowNode;
  readonly type: NodeType;
  readonly config: JsonObject;
  readonly ports: readonly Port[];
  /** Forward edges only; the loop's back edge is in `loop`. */
  readonly incoming: readonly PlanEdge[];
  readonly loop?: Loop;
  /** True when a failure of this node is someone else's trigger, so that it does not end the run. */
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

/** A workflow as a child would be started with it: the newest version at this moment. */
export interface ResolvedWorkflow {
  readonly version: number;
  readonly plan: Plan;
}

/** What the kernel is told about the world for the length of one slice. */
export interface World extends Vault {
  readonly now: number;
  /** `now` as it is written into events. */
  readonly timestamp: string;
  readonly limits: RunLimits;
  readonly maxDepth: number;
  readonly maxEventBytes: number;
  readonly chainEvents: boolean;
  /** Decisions less sure than this are put before a person. */
  readonly confidenceFloor: number;
  readonly provides: ReadonlySet<string>;
  /** `unknown` while the driver has not looked it up yet; it will, and call again. */
  workflow(tenant: string, id: string): ResolvedWorkflow | 'absent' | 'unknown';
  /** Whether a replay performs this effect too, to compare: only models are ever asked again. */
  asksAgain(effect: EffectIntent, models: 'recorded' | 'live'): boolean;
  /** Memory as it is stored, so without what this slice adds. `unknown` as above, here and below. */
  memory(query: MemoryQuery): readonly MemoryRow[] | 'unknown';
  /** How many versions of a scope are stored. */
  scopeVersion(tenant: string, scope: string): number | 'unknown';
  /** The tenant's workspace as it is now, or nothing where there never was a file. */
  workspace(tenant: string): MemoryLayer | undefined | 'unknown';
  /** Stored events of a run from a sequence on. */
  transcript(runId: string, from: number, limit: number): readonly TranscriptLine[] | 'unknown';
  /** How many of the latest events a supervisor's turn is given. */
  readonly transcriptWindow: number;
}

/** A root run and its descendants that have not ended: the unit of ownership and of slices. */
export interface Tree {
  readonly rootId: string;
  readonly runs: Map<string, WorkingRun>;
  /** Runs to look at, the last one first. */
  readonly agenda: string[];
  readonly wanted: Want[];
  /** Effects that a replay has come to and that are performed again. */
  readonly asking: Set<string>;
  /** Tokens that a replay's source has in the place of this host's, where this host cannot open them. */
  readonly foreignSeals: Map<string, string>;
  /** Checksums of values that hold names of runs, each with the one that a replay's source has in its place. */
  readonly namedChecksums: Map<string, string>;
  /** What the slice does to memory, in the order it happened. */
  changes: MemoryChange[];
  /** A step wants to read what is not stored yet: the slice ends, and the step is taken again after it. */
  awaitsCommit: boolean;
  /** Steps that conditions have taken so far, by their meters. */
  work: number;
  /** The search for what can start was interrupted, so that others can have a turn. */
  resting: boolean;
  world: World;
  /** Size of the slice so far. */
  events: number;
  bytes: number;
  /** Whose events the slice holds, in the order they happened: that order is part of what is stored. */
  happened: WorkingRun[];
  /** Where in `happened` a step begins. */
  steps: number[];
  /** Texts of the slice that held half of a character, and were recorded with U+FFFD in its place. */
  replaced: ReplacedText[];
}

/** One run within a slice: where it was, where it is, and the facts in between. */
export interface WorkingRun {
  readonly tree: Tree;
  readonly plan: Plan;
  base: Run | undefined;
  run: Run;
  texts: string[];
  /** The nodes that were found unable to start in this very state. */
  searched?: { readonly run: Run; readonly nodes: number };
  /** Where the run was forked from, while it is not stored yet. */
  readonly point?: ForkPoint;
  /** The state at the fork point, while it is not stored yet. */
  readonly inherited?: Run;
  /** What a replay follows. */
  source?: Source;
}

/** What a replay follows: the log of the run that it was forked from, as far as the driver has read it. */
export interface Source {
  /** What the source did next, from the replay's own head on. */
  ahead: Recorded[];
  /** There is nothing behind what is ahead. */
  complete: boolean;
  /** The source was stopped from outside, or the replay went its own way; there is nothing to follow any more. */
  left: boolean;
  /** How the source's children began, by their number. */
  readonly children: Map<number, RecordedChild | 'absent'>;
  /** What effects came to, by node, execution and attempt; read only by a replay that goes its own way. */
  outcomes?: ReadonlyMap<string, readonly RunEvent[]>;
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
  /** When it happened, in epoch milliseconds. */
  readonly at: number;
}
