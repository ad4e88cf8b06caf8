/**
 * What the live tree knows about a run, folded from its events: the executions of its nodes in the order in which they
 * began, and below each node the steps that a reader wants to see (child runs, stages of the merge gate, questions to
 * people, calls of tools, and the text that a model is writing).
 */

/** `again`: a critic sent the work back, or a failed attempt is tried again. */
export type Mark = 'running' | 'done' | 'failed' | 'waiting' | 'again' | 'left-out';

export interface StepView {
  /** Names the step within its node, so that a later event finds it. */
  readonly key: string;
  readonly mark: Mark;
  readonly text: string;
  readonly from: number;
  readonly to?: number;
  /** The child run that the step stands for. */
  readonly childRunId?: string;
  /** The end of the text that a model is writing. */
  readonly stream?: string;
  /** The step is a question to a person. */
  readonly asksPerson?: boolean;
}

export interface NodeView {
  readonly nodeId: string;
  readonly typeId: string;
  readonly mark: Mark;
  readonly text: string;
  readonly from: number;
  readonly to?: number;
  readonly steps: readonly StepView[];
}

type ViewStatus = 'starting' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';

export interface UsageView {
  readonly tokens: number;
  readonly toolCalls: number;
  /** Absent while no price is known. */
  readonly costUsd?: number;
}

export interface RunView {
  readonly runId: string;
  readonly workflowId: string;
  readonly status: ViewStatus;
  readonly from?: number;
  readonly to?: number;
  /** Why the run failed or was cancelled. */
  readonly why?: string;
  readonly nodes: readonly NodeView[];
  readonly usage: UsageView;
}

/** The runs of a tree by their ids. */
export type Views = ReadonlyMap<string, RunView>;

export function newView(runId: string): RunView {
  return { runId, workflowId: '', status: 'starting', nodes: [], usage: { tokens: 0, toolCalls: 0 } };
}

/** Child runs have the id of their root and a number, such as `….3`, which is what tells them apart. */
export function shortId(runId: string): string {
  const dot = runId.lastIndexOf('.');
  return dot < 0 ? runId : runId.slice(dot);
}

export function hasEnded({ status }: RunView): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** The newest execution of a node, changed. A node that is not known yet is left out. */
export function withNode(view: RunView, nodeId: string, change: (node: NodeView) => NodeView): RunView {
  const at = view.nodes.findLastIndex((node) => node.nodeId === nodeId);
  const node = view.nodes[at];
  return node === undefined ? view : { ...view, nodes: view.nodes.with(at, change(node)) };
}

/** Adds a step to a node, or changes the newest one with the same key. */
export function withStep(node: NodeView, key: string, change: Partial<StepView>, time: number): NodeView {
  const at = node.steps.findLastIndex((step) => step.key === key);
  const known = node.steps[at];
  if (known !== undefined) return { ...node, steps: node.steps.with(at, { ...known, ...change }) };
  const added: StepView = { key, mark: 'running', text: '', from: time, ...change };
  return { ...node, steps: [...node.steps, added] };
}
