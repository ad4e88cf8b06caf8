import type {
  AgentCheck,
  AgentRef,
  Attestation,
  Decision,
  DecisionKind,
  EffectIntent,
  Goal,
  JsonObject,
  MemoryLayer,
  PayloadOf,
  RunError,
  RunLimits,
  RunOrigin,
  RunUsage,
  SuspendRequest,
  TerminalStatus,
  Verdict,
} from '@baton/protocol';

type ReservedLimits = PayloadOf<'budget.reserved'>['effectiveBudget'];

/**
 * The state of a run: the result of the fold over its log. Plain JSON, so that it can be stored as a saved
 * state.
 */
export interface Run {
  readonly runId: string;
  readonly rootId: string;
  readonly tenant: string;
  readonly principal: string;
  /** The other principals who started or branched the runs that this run comes from. */
  readonly starters?: readonly string[];
  /** The scopes of the run. A run without a list is not restricted. */
  readonly scopes?: readonly string[];
  readonly workflowId: string;
  readonly workflowVersion: number;
  /** Digest of the definition that the run keeps for its whole life. */
  readonly definition: string;
  readonly parent?: { readonly runId: string; readonly nodeId: string };
  /** Workflow ids from the root down to this run's parent. Used to limit the depth and to refuse cycles. */
  readonly lineage: readonly string[];
  /** The run of another host that asked for this run. */
  readonly origin?: RunOrigin;
  /** An event of the run names the event of the other host as its cause. */
  readonly originTold?: true;
  readonly limits: RunLimits;
  readonly chainEvents: boolean;
  /** The checks of agents that the run makes. Without a list it makes all of them. */
  readonly agentChecks?: readonly AgentCheck[];
  readonly inputs: JsonObject;
  readonly configurable: JsonObject;
  readonly tags: readonly string[];
  readonly metadata?: JsonObject;
  readonly scopeId?: string;
  readonly traceparent?: string;
  readonly agent?: AgentRef;
  /** How a run of an agent was started. */
  readonly source?: PayloadOf<'run.started'>['source'];

  readonly startedAt: number;
  /** Time of the last event. */
  readonly at: number;
  /** Sequence of the next event. */
  readonly head: number;

  readonly phase: RunPhase;
  readonly variables: JsonObject;
  readonly channels: JsonObject;
  readonly size: RunSize;
  readonly nodes: Readonly<Record<string, NodeState>>;
  /** Nodes that have started and not ended, in the order they started. */
  readonly active: readonly string[];
  readonly interrupts: Readonly<Record<string, OpenInterrupt>>;
  /** Artifact id to the sequence of the event that holds it. */
  readonly artifacts: Readonly<Record<string, number>>;

  readonly orchestrator?: AgentRef;
  /** The latest decision that no dispatch node has consumed. */
  readonly decision?: PendingDecision;
  readonly iteration: number;
  /** How many attempts critics have asked for. Each counts as one loop iteration. */
  readonly revisions?: number;
  readonly executions: number;
  readonly dispatches: number;
  readonly children: number;
  /** Workers whose outputs a critic turned down, and whose outputs were not merged since. */
  readonly unresolved: readonly string[];
  /**
   * Workflows of children that did not meet their goal, and of sub-workflow nodes that have
   * ended although a critic turned down the outputs.
   */
  readonly unmet?: readonly string[];
  /** Children that no node waits for and that have not ended. */
  readonly detached?: readonly ChildOfNode[];
  /** The index at which the first node with a grant started: see `people/grants.ts`. */
  readonly granted?: number;
  readonly goal?: Goal;
  /** Tokens, tool calls and costs of the run and of its ended children. */
  readonly usage?: RunUsage;
  /** The part of the usage that is neither of children nor, in a fork, of the source. */
  readonly spent?: RunUsage;
  /** The part of `spent` that is of agents, by their ids. */
  readonly spentBy?: Readonly<Record<string, RunUsage>>;
  /** The budget of the run as it was last recorded. */
  readonly reserved?: { readonly eventId: string; readonly limits: ReservedLimits };
  /** Agents with a budget of their own, by their ids: what each of them used in this run. */
  readonly agents?: Readonly<Record<string, { readonly eventId: string; readonly usage: RunUsage }>>;
  readonly role?: 'critic';
  readonly memory: RunMemory;
  /** The version of the workspace that the run last saw. */
  readonly workspace?: MemoryLayer;
  /** The source of the run, if it is a fork. */
  readonly fork?: RunFork;
}

/** The size of a run. `characters` is about the length of its variables, channels and outputs as JSON. */
export interface RunSize {
  readonly characters: number;
  readonly variables: number;
}

/** The memory that a run sees: its own memory scope, into which it writes, and the layers below it. */
export interface RunMemory {
  readonly scope: string;
  readonly version: number;
  readonly base: readonly MemoryLayer[];
  /** How many layers of the base the run wrote itself, before it was forked. */
  readonly mine?: number;
}

export interface RunFork {
  readonly sourceRunId: string;
  readonly fromSeq: number;
  readonly mode: 'replay' | 'branch';
  readonly createdAt: number;
  readonly models: 'recorded' | 'live';
  /** The place in the source's tree up to which a replay follows. */
  readonly upTo?: number;
  /** The run whose memory a replay sees. If the source is a replay too, this is the source's origin. */
  readonly origin: string;
  /** A replay that differs from its source no longer follows it. */
  readonly diverged: boolean;
}

export type RunPhase =
  | { readonly kind: 'running' }
  | { readonly kind: 'draining'; readonly reason?: string; readonly by?: string }
  | { readonly kind: 'paused' }
  | { readonly kind: 'ended'; readonly status: TerminalStatus; readonly error?: RunError };

interface PendingDecision {
  readonly eventId: string;
  readonly decision: Decision;
}

interface NodeBase {
  readonly typeId: string;
  /** How often the node has been started, retries not counted. */
  readonly execution: number;
  readonly attempt: number;
  readonly startedId: string;
  readonly startedSeq: number;
}

export type NodeState =
  | (NodeBase & {
      readonly status: 'running';
      readonly startedAt: number;
      readonly wait: Wait;
      readonly deadline?: number;
      /** The invocation of an agent that has started and not completed. */
      readonly invocation?: { readonly id: string; readonly agentId: string; readonly startedAt: number };
      readonly review?: Review;
      /** How often a critic sent the agent of the node back, in this attempt of the node. */
      readonly revisions?: number;
    })
  | (NodeBase & { readonly status: 'retrying'; readonly until: number; readonly error: RunError })
  | (NodeBase & {
      readonly status: 'completed';
      readonly outputs: JsonObject;
      readonly decided?: Decided;
    })
  | (NodeBase & { readonly status: 'failed'; readonly error: RunError } & AtGate)
  | (NodeBase & { readonly status: 'skipped' | 'cancelled'; readonly reason?: string } & AtGate);

/**
 * A result of the node's agent that is judged: its last decision, or the result of a tool call. A decision has a
 * review also where no critic is named; then nothing reads it.
 */
interface Review {
  /** The event of the decision, or the id of the tool call. */
  readonly target: string;
  /** The agent that decided. */
  readonly agentId?: string;
  readonly critic?: CriticRun;
  readonly verdict?: Verdict;
}

/** A critic at work. After the deadline its answer no longer counts. */
export interface CriticRun {
  readonly runId: string;
  readonly deadline: number;
}

/** The decisions of the merge gate about the workers of a node that did not complete. */
interface AtGate {
  readonly settled?: readonly SettledMerge[];
}

/** The result of a supervisor's turn: the kind of its decision, or `rejected` by a person. */
export type Decided = DecisionKind | 'rejected';

/** What a running node waits for. */
export type Wait =
  | { readonly for: 'nothing'; readonly decided?: Decided }
  | { readonly for: 'time'; readonly until: number }
  | { readonly for: 'effects'; readonly steps: readonly EffectStep[] }
  | {
      readonly for: 'answer';
      readonly key: string;
      readonly decided?: Decided;
      /** The node waits for these workers again after the answer. */
      readonly workers?: WaitForWorkers;
      /** The settled effects of the attempt. The node goes on from them after the answer. */
      readonly steps?: readonly EffectStep[];
    }
  | { readonly for: 'child'; readonly childRunId: string }
  | {
      readonly for: 'workers';
      readonly decision: PendingDecision;
      /** How many of the decision's workers have begun. */
      readonly began: number;
      readonly handoff?: Handoff;
      /** The decisions of the merge gate about the workers before this one. */
      readonly settled?: readonly SettledMerge[];
    };

/**
 * An effect of the present attempt of a node. Settled effects stay until the attempt ends, because the node
 * may need their outputs for its next effect.
 */
export interface EffectStep {
  /** From 1. */
  readonly step: number;
  readonly effect: EffectIntent;
  readonly intendedAt: number;
  /** Which try of the effect this is, from 1. */
  readonly tries: number;
  /** The effect failed, and is tried again at this time. */
  readonly until?: number;
  /** Present once the effect is settled. */
  readonly outputs?: JsonObject;
  /** What a critic said of the result of a tool call. */
  readonly verdict?: Verdict;
  /** How many parts of the reasoning of a model were recorded while the effect was under way. */
  readonly deltas?: number;
}

export type WaitForWorkers = Extract<Wait, { for: 'workers' }>;

/** The decision of the merge gate about one worker. */
export type SettledMerge = PayloadOf<'baton.merge.settled'>;

export type HandoffState =
  | 'dispatching'
  | 'running'
  | 'completed'
  | 'harvested'
  | 'failed'
  | 'cancelled'
  /** A critic judges the outputs. */
  | 'verifying'
  | 'verified'
  /** A person is asked about the outputs. */
  | 'approving'
  /** The gate has decided. */
  | 'merged'
  | 'refused';

/** The handoff to the present worker. Earlier handoffs are only in the log. */
export interface Handoff {
  readonly workerId: string;
  readonly state: HandoffState;
  /** The event of the last transition. It is the cause of the next one. */
  readonly lastId: string;
  readonly childRunId?: string;
  /** The number of the attempt, from 1. A critic's `revise` starts the next attempt. */
  readonly attempt: number;
  readonly attestation?: Attestation;
  readonly critic?: CriticRun;
  readonly verdict?: { readonly given: Verdict; readonly eventId: string; readonly confidence?: number };
}

export interface OpenInterrupt {
  readonly key: string;
  readonly nodeId: string;
  readonly request: SuspendRequest;
  readonly requestId: string;
  readonly requestedAt: number;
  readonly expiresAt?: number;
  readonly votes: Readonly<Record<string, 'accept' | 'reject'>>;
}

export function isEnded(run: Run): boolean {
  return run.phase.kind === 'ended';
}

export function endStatus(run: Run): TerminalStatus | undefined {
  return run.phase.kind === 'ended' ? run.phase.status : undefined;
}

/** Children that are under way, each with the node that waits for it. */
export function liveChildren(run: Run): readonly ChildOfNode[] {
  const found: ChildOfNode[] = [];
  for (const nodeId of run.active) {
    const state = run.nodes[nodeId];
    if (state?.status !== 'running') continue;
    if (state.wait.for === 'child') found.push({ nodeId, childRunId: state.wait.childRunId });
    const critic = criticAtWork(state);
    if (critic !== undefined) found.push({ nodeId, childRunId: critic.runId });
    const handoff = state.wait.for === 'workers' ? state.wait.handoff : undefined;
    const childRunId = handoff?.state === 'verifying' ? handoff.critic?.runId : handoff?.childRunId;
    if (childRunId === undefined || (handoff?.state !== 'running' && handoff?.state !== 'verifying'))
      continue;
    found.push({ nodeId, childRunId });
  }
  return found;
}

/**
 * Children that the run still needs: those under way, those at the merge gate, and those that no node waits
 * for.
 */
export function awaitedChildren(run: Run): readonly string[] {
  const awaited = liveChildren(run).map((child) => child.childRunId);
  for (const nodeId of run.active) {
    const handoff = handoffOf(run, nodeId);
    if (handoff?.childRunId !== undefined) awaited.push(handoff.childRunId);
  }
  for (const { childRunId } of run.detached ?? []) awaited.push(childRunId);
  return awaited;
}

/** The critic that judges a result of the node's agent now. */
export function criticAtWork(state: NodeState | undefined): CriticRun | undefined {
  if (state?.status !== 'running' || state.review?.verdict !== undefined) return undefined;
  return state.review?.critic;
}

export function handoffOf(run: Run, nodeId: string): Handoff | undefined {
  return workersWait(run, nodeId)?.handoff;
}

/** The wait for workers of a node. It exists also while a person is asked about one of them. */
export function workersWait(run: Run, nodeId: string): WaitForWorkers | undefined {
  const state = run.nodes[nodeId];
  if (state?.status !== 'running') return undefined;
  if (state.wait.for === 'workers') return state.wait;
  return state.wait.for === 'answer' ? state.wait.workers : undefined;
}

export interface ChildOfNode {
  readonly nodeId: string;
  readonly childRunId: string;
}

export function outputsOf(run: Run, nodeId: string): JsonObject | undefined {
  const state = run.nodes[nodeId];
  return state?.status === 'completed' ? state.outputs : undefined;
}

export function setWait(run: Run, nodeId: string, wait: Wait): Run {
  const state = run.nodes[nodeId];
  if (state?.status !== 'running') return run;
  return { ...run, nodes: { ...run.nodes, [nodeId]: { ...state, wait } } };
}

/** The effects of the present attempt of a node, settled ones too. */
export function effectSteps(run: Run, nodeId: string): readonly EffectStep[] {
  const state = run.nodes[nodeId];
  if (state?.status !== 'running') return [];
  if (state.wait.for === 'effects') return state.wait.steps;
  return state.wait.for === 'answer' ? (state.wait.steps ?? []) : [];
}

export function isPending({ outputs }: EffectStep): boolean {
  return outputs === undefined;
}
