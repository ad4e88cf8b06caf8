import type { RunEvent, RunStatus } from '@baton/client';

/**
 * What the page knows about a run and its descendants. The fold adds to it event by event and changes nothing that it
 * has recorded, except for the ends of spans. So each question about an earlier moment is a search in a sorted list.
 *
 * A *position* is the number of an event in this model, from 0, in the order in which the events of the tree happened.
 */

/** A value that holds from a position on, until the next change. */
export interface Change<Value> {
  readonly at: number;
  readonly value: Value;
}

export interface Entry {
  readonly position: number;
  readonly event: RunEvent;
  /** Milliseconds. It never goes back, so that a drawing can rely on the order. */
  readonly time: number;
  readonly run: RunTrack;
  readonly lane: Lane;
  /** The positions of the events that caused this one. */
  readonly causes: readonly number[];
}

export type NodeState = 'running' | 'waiting' | 'retrying' | 'completed' | 'failed' | 'skipped' | 'cancelled';

export interface NodeMoment {
  readonly state: NodeState;
  /** How many times the node has begun, without further attempts. */
  readonly executions: number;
  /** More about the state, such as the decision of a supervisor or the error. */
  readonly text: string;
}

export interface NodeTrack {
  readonly nodeId: string;
  typeId: string;
  readonly moments: Change<NodeMoment>[];
  /** Child runs and critics that the node started, in the order of their first events. */
  readonly children: RunTrack[];
}

export type RunRole = 'root' | 'child' | 'critic';

export interface RunTrack {
  readonly runId: string;
  readonly role: RunRole;
  readonly parent: RunTrack | undefined;
  readonly parentNodeId: string | undefined;
  readonly workflowId: string;
  readonly workflowVersion: number | undefined;
  /** The positions of the events of this run. The event at index n has the sequence `firstSequence + n`. */
  readonly positions: number[];
  readonly firstSequence: number;
  readonly status: Change<RunStatus>[];
  readonly nodes: Map<string, NodeTrack>;
  readonly children: RunTrack[];
  readonly lane: Lane;
  /** Lanes of agents that work in nodes of this run. */
  readonly agentLanes: Lane[];
  /** The questions that are open, by their keys, and the statuses that they give the run. */
  readonly questions: Map<string, RunStatus>;
}

export type SpanKind = 'node' | 'turn' | 'effect' | 'wait' | 'pause';

export interface Span {
  readonly kind: SpanKind;
  readonly nodeId: string | undefined;
  readonly from: number;
  /** The position of the event that ended it. Absent while it is open. */
  to?: number;
  end?: 'completed' | 'failed' | 'cancelled';
  /** A short name: the node, the effect, or the reason of a wait. */
  text: string;
  /** Which of the rows of its lane it is drawn in; nodes of one run can work at the same time. */
  readonly row: number;
}

/** A row of the timeline: a run, or an agent that works in a node of a run. */
export interface Lane {
  readonly key: string;
  readonly runId: string;
  /** The node of an agent's lane. */
  readonly nodeId: string | undefined;
  name: string;
  readonly depth: number;
  /** Spans by the positions at which they begin. */
  readonly spans: Span[];
  /** How many rows its spans need, 1 to 3. */
  rows: number;
}

export type ArrowKind = 'handoff' | 'critic' | 'return' | 'merge' | 'refusal';

/** Work that goes from one lane to another. */
export interface Arrow {
  readonly kind: ArrowKind;
  readonly at: number;
  readonly from: Lane;
  readonly to: Lane;
}

/** A time in which nothing happened. `working`: an effect was under way. */
export interface Silence {
  /** The position of the last event before it. */
  readonly after: number;
  readonly from: number;
  readonly to: number;
  readonly working: boolean;
}

export interface Totals {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly toolCalls: number;
  /** Absent while no price is known. */
  readonly costUsd?: number;
  /** Decisions of supervisors. */
  readonly turns: number;
}

export interface Tree {
  readonly rootId: string;
  readonly entries: Entry[];
  readonly runs: Map<string, RunTrack>;
  readonly arrows: Arrow[];
  readonly silences: Silence[];
  readonly totals: Change<Totals>[];
  /** The position of each event by its id. */
  readonly byId: Map<string, number>;
  /** The positions of the events that an event caused, where there are any. */
  readonly effects: Map<number, number[]>;
  /** Spans that have no end yet, by the run and a name within it. */
  readonly open: Map<string, Span>;
  /** The effects that are under way, by their names in `open`. */
  readonly underWay: Set<string>;
  /** Changes when a lane is added. */
  laneCount: number;
}

export function newTree(rootId: string): Tree {
  return {
    rootId,
    entries: [],
    runs: new Map(),
    arrows: [],
    silences: [],
    totals: [],
    byId: new Map(),
    effects: new Map(),
    open: new Map(),
    underWay: new Set(),
    laneCount: 0,
  };
}
