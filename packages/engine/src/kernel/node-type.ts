import type {
  EffectIntent,
  Json,
  JsonObject,
  RunError,
  Scope,
  SuspendRequest,
  WorkflowNode,
} from '@baton/protocol';
import type { TSchema } from 'typebox';
import type { StepMeter } from './graph/step-meter.ts';
import type { Run } from './run.ts';
import type { Turn } from './turn.ts';

/**
 * What a node type is. To add one: a file in `nodes/` with one of these, and a line in `nodes/index.ts`.
 * Node types are pure: they see the run and say what should happen; the kernel records it.
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
  proceed?(turn: Turn, nodeId: string): boolean;
  /** May throw a refusal for an answer that only the node can judge. Called before it is recorded. */
  checkAnswer?(turn: Turn, nodeId: string, value: JsonObject): void;
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
  readonly act: (turn: Turn, nodeId: string) => void;
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
