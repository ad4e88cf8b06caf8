import type {
  AgentRef,
  ChannelDeclaration,
  JsonObject,
  NodeSettings,
  Question,
  TriggerRule,
  WorkflowDefinition,
} from '@baton/protocol';
import type { AgentDefinition } from './agent-definition.ts';
import type { Condition, SoundCondition } from './condition.ts';
import type { Checked, NotDeclared, Problem, Sound } from './expression.ts';
import type { Critic, CriticWorker, Gate } from './gate.ts';
import type { ApprovalConfig, NodeConfigs, NodeTypeId } from './node-configs.ts';
import type { CheckedPorts } from './ports.ts';
import type { HAND_OUT, LEAD, Supervision } from './supervise.ts';
import type { Validation } from './validate.ts';
import type { Declarations, NameIn } from './variables.ts';
import type { Mappings, TypedWorkflow, Worker } from './workers.ts';

/** The public shape of the builder. Each method returns a new workflow; the one that it is called on does not change. */

export interface WorkflowOptions<D extends Declarations> {
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
  readonly variables?: D;
  readonly channels?: Readonly<Record<string, ChannelDeclaration>>;
  readonly triggers?: readonly JsonObject[];
  readonly configurableSchema?: JsonObject;
  readonly defaults?: JsonObject;
  readonly metadata?: JsonObject;
  readonly settings?: {
    readonly timeout?: number;
    readonly maxRetries?: number;
    readonly maxLoopbackIterations?: number;
  };
}

type Settings = Pick<NodeSettings, 'timeoutMs' | 'retry' | 'requiredScopes'>;

/** What every node can have. */
export interface NodeOptions<Node extends string> {
  readonly name?: string;
  readonly position?: { readonly x: number; readonly y: number };
  readonly settings?: Settings;
  /** Adds an edge from each of these nodes. */
  readonly after?: Node | readonly Node[];
  readonly notes?: string;
  readonly disabled?: boolean;
  readonly outputRole?: 'primary' | 'secondary';
  readonly outputSensitivity?: Readonly<Record<string, boolean>>;
}

export interface EdgeOptions<C> {
  readonly id?: string;
  readonly label?: string;
  /** The edge leads on only if this is true. */
  readonly when?: C;
  readonly triggerRule?: TriggerRule;
}

export interface AgentNodeOptions<Node extends string> extends NodeOptions<Node> {
  /** The critic of the result, in place of that of the agent. */
  readonly critic?: CriticWorker | Critic;
}

/** The configuration of a sub-workflow, beside its mappings. */
export interface SubWorkflowOptions<Node extends string> extends NodeOptions<Node> {
  readonly gate?: Gate;
  readonly waitForCompletion?: boolean;
  readonly onChildFailure?: 'fail-parent' | 'absorb';
  readonly propagateCancellation?: boolean;
  readonly memoryScopeIsolation?: 'inherit' | 'isolated';
}

/** Requires a node id that is not used yet. `string` is the type of all ids in a workflow that was read from JSON. */
type Fresh<Id extends string, N extends string> = string extends N
  ? unknown
  : Id extends N
    ? Problem<`There is a node "${Id}" already.`>
    : unknown;

type Assignments<A, D extends Declarations, N extends string> = {
  readonly [K in keyof A]: K extends NameIn<D> ? Checked<A[K], NameIn<D>, N> : NotDeclared<K & string>;
};

type NoInputs = Readonly<Record<never, never>>;

/** A workflow with the variables `D` and the node ids `N`. */
export interface Workflow<D extends Declarations = Declarations, N extends string = string>
  extends TypedWorkflow<D> {
  /** Sets variables from expressions, in their order. */
  set<
    const Id extends string,
    const A extends Assignments<A, D, N>,
    const I extends CheckedPorts<I, NameIn<D>, N> = NoInputs,
  >(
    id: Id & Fresh<Id, N>,
    assign: A,
    options?: NodeOptions<N> & { readonly inputs?: I },
  ): Workflow<D, N | Id>;
  /** Waits. */
  delay<const Id extends string>(
    id: Id & Fresh<Id, N>,
    ms: number,
    options?: NodeOptions<N>,
  ): Workflow<D, N | Id>;
  /** Asks people to approve its inputs. */
  approval<const Id extends string, const I extends CheckedPorts<I, NameIn<D>, N> = NoInputs>(
    id: Id & Fresh<Id, N>,
    config: ApprovalConfig,
    options?: NodeOptions<N> & { readonly inputs?: I },
  ): Workflow<D, N | Id>;
  /** Asks questions. The answers are its outputs. */
  clarification<const Id extends string>(
    id: Id & Fresh<Id, N>,
    questions: readonly Question[],
    options?: NodeOptions<N>,
  ): Workflow<D, N | Id>;
  /** Invokes an agent. The result is the output `result`. */
  agent<const Id extends string, const I extends CheckedPorts<I, NameIn<D>, N> = NoInputs>(
    id: Id & Fresh<Id, N>,
    agent: string | AgentRef | AgentDefinition,
    options?: AgentNodeOptions<N> & { readonly inputs?: I },
  ): Workflow<D, N | Id>;
  /** Runs a workflow or an agent as a child run. */
  subWorkflow<const Id extends string, const W extends Worker>(
    id: Id & Fresh<Id, N>,
    worker: W,
    options: Mappings<D, W> & SubWorkflowOptions<N>,
  ): Workflow<D, N | Id>;
  /** A supervisor, its workers, and the checks before their outputs are merged. */
  supervise<
    R extends Readonly<Record<string, Worker>>,
    const LeadId extends string = typeof LEAD,
    const HandOutId extends string = typeof HAND_OUT,
    const S extends string = '',
  >(
    options: Supervision<
      D,
      R,
      LeadId & Fresh<LeadId, N>,
      HandOutId & Fresh<HandOutId, N>,
      S & Sound<S, NameIn<D>, N>
    >,
  ): Workflow<D, N | LeadId | HandOutId>;
  /** A node of any type, with its configuration. */
  node<
    const Id extends string,
    T extends NodeTypeId,
    const I extends CheckedPorts<I, NameIn<D>, N> = NoInputs,
  >(
    id: Id & Fresh<Id, N>,
    type: T,
    config: NodeConfigs<NameIn<D>>[T],
    options?: NodeOptions<N> & { readonly inputs?: I },
  ): Workflow<D, N | Id>;
  /** An edge from one node to another. */
  edge<const C extends Condition = ''>(
    from: N,
    to: N,
    options?: EdgeOptions<C & SoundCondition<C, NameIn<D>, N>>,
  ): Workflow<D, N>;
  /** Edges from each of these nodes to the next. */
  chain(...nodes: readonly N[]): Workflow<D, N>;
  /** Checks the workflow with the rules by which a host registers it, without a host. Needs `@baton/engine`. */
  validate(): Promise<Validation>;
  /** The definition as a host registers it. `JSON.stringify(workflow, null, 2)` writes it as text. */
  toJSON(): WorkflowDefinition;
}
