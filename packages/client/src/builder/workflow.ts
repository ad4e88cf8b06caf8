import type { Json, JsonObject, WorkflowDefinition, WorkflowEdge, WorkflowNode } from '@baton/protocol';
import { type Condition, toCondition } from './condition.ts';
import { gateSettings, verifierOf } from './gate.ts';
import { type Ports, toPorts } from './ports.ts';
import { stableDefinition } from './stable-json.ts';
import { agentRef, type LooseSupervision, supervision } from './supervise.ts';
import { validateWorkflow } from './validate.ts';
import { type Declarations, toDeclarations, toVariables } from './variables.ts';
import { idOf, type Worker } from './workers.ts';
import type {
  AgentNodeOptions,
  EdgeOptions,
  NodeOptions,
  SubWorkflowOptions,
  Workflow,
  WorkflowOptions,
} from './workflow-types.ts';

/**
 * Begins a workflow. Its variables, node ids and expressions are checked by the compiler.
 *
 * @example
 * import { workflow } from '@baton/client/builder';
 *
 * export const hello = workflow('hello', {
 *   variables: {
 *     name: { type: 'string', defaultValue: 'world' },
 *     greeting: 'string',
 *   },
 * }).set('greet', { greeting: "'Hello, ' + variables.name + '!'" });
 */
export function workflow<const D extends Declarations = Record<never, never>>(
  id: string,
  { variables, channels, triggers, ...options }: WorkflowOptions<D> = {},
): Workflow<D, never> {
  const definition = {
    id,
    ...options,
    nodes: [],
    edges: [],
    ...(variables && { variables: toVariables(variables) }),
    ...(channels && { channels }),
    ...(triggers && { triggers: [...triggers] }),
  };
  return workflowOf<D, never>(definition as WorkflowDefinition);
}

interface LooseOptions extends NodeOptions<string> {
  readonly inputs?: Ports;
}

interface LooseSubWorkflow extends SubWorkflowOptions<string> {
  readonly input?: Readonly<Record<string, string>>;
  readonly output?: Readonly<Record<string, string>>;
}

/** A workflow with this definition. The methods add to it what the types have allowed. */
export function workflowOf<D extends Declarations, N extends string>(
  given: WorkflowDefinition,
): Workflow<D, N> {
  const grown = (nodes: readonly WorkflowNode[], edges: readonly WorkflowEdge[] = []) =>
    workflowOf<Declarations, string>(withParts(given, nodes, edges));

  function add(
    id: string,
    typeId: string,
    config: object,
    options: LooseOptions = {},
    more: Partial<WorkflowNode> = {},
  ) {
    const { after = [], inputs, settings, ...rest } = options;
    const all = { ...settings, ...more.settings };
    const node: WorkflowNode = {
      id,
      typeId,
      ...(rest as Partial<WorkflowNode>),
      config: asJson(config),
      ...(inputs && { inputs: toPorts(inputs) }),
      ...more,
      ...(Object.keys(all).length > 0 && { settings: all }),
    };
    const sources = typeof after === 'string' ? [after] : after;
    return grown(
      [node],
      sources.map((sourceNodeId) => ({ sourceNodeId, targetNodeId: id })),
    );
  }

  const made = {
    id: given.id,
    ...(given.description !== undefined && { description: given.description }),
    variables: toDeclarations(given.variables ?? []),
    set: (id: string, assign: object, options?: LooseOptions) =>
      add(id, 'vendor.baton.set', { assign }, options),
    delay: (id: string, delayMs: number, options?: LooseOptions) =>
      add(id, 'core.delay', { delayMs }, options),
    approval: (id: string, config: object, options?: LooseOptions) =>
      add(id, 'core.approvalGate', config, options),
    clarification: (id: string, questions: readonly object[], options?: LooseOptions) =>
      add(id, 'core.clarificationGate', { questions }, options),
    agent(
      id: string,
      agent: Parameters<typeof agentRef>[0],
      options: AgentNodeOptions<string> & LooseOptions = {},
    ) {
      const { critic, ...rest } = options;
      return add(id, 'core.agent', {}, rest, {
        agent: agentRef(agent),
        ...(critic !== undefined && { settings: { verifier: verifierOf(critic) } as object }),
      });
    },
    subWorkflow(id: string, worker: Worker, options: LooseSubWorkflow) {
      const { config, gate, rest } = subWorkflowParts(worker, options);
      return add(id, 'core.subWorkflow', config, rest, gate && { settings: gateSettings(gate) });
    },
    supervise(options: LooseSupervision) {
      const { nodes, edges } = supervision(options);
      return grown(nodes, edges);
    },
    node: (id: string, type: string, config: object, options?: LooseOptions) =>
      add(id, type, config, options),
    edge: (from: string, to: string, options?: EdgeOptions<Condition>) =>
      grown([], [edgeOf(from, to, options)]),
    chain: (...ids: readonly string[]) =>
      grown(
        [],
        ids.slice(1).map((to, at) => edgeOf(ids[at] ?? to, to)),
      ),
    validate: () => validateWorkflow(stableDefinition(given)),
    toJSON: () => structuredClone(stableDefinition(given)),
  };
  return made as unknown as Workflow<D, N>;
}

function subWorkflowParts(worker: Worker, options: LooseSubWorkflow) {
  const { input, output, gate, waitForCompletion, onChildFailure, ...others } = options;
  const { propagateCancellation, memoryScopeIsolation, ...rest } = others;
  const config = {
    workflowId: idOf(worker),
    waitForCompletion,
    onChildFailure,
    propagateCancellation,
    memoryScopeIsolation,
    inputMapping: input,
    outputMapping: output,
  };
  return { config, gate, rest };
}

function edgeOf(from: string, to: string, options: EdgeOptions<Condition> = {}): WorkflowEdge {
  const { when, ...rest } = options;
  return {
    sourceNodeId: from,
    targetNodeId: to,
    ...rest,
    ...(when !== undefined && { condition: toCondition(when) }),
  };
}

/** Refuses what the types cannot see, for example in plain JavaScript. An edge without an id gets one from its ends. */
function withParts(
  given: WorkflowDefinition,
  nodes: readonly WorkflowNode[],
  added: readonly WorkflowEdge[],
): WorkflowDefinition {
  const all = [...given.nodes, ...nodes];
  const twice = nodes.find(({ id }) => all.filter((node) => node.id === id).length > 1);
  if (twice) throw new TypeError(`The workflow "${given.id}" has a node "${twice.id}" already.`);
  const edges = [...(given.edges ?? [])];
  for (const edge of added) {
    const unknown = [edge.sourceNodeId, edge.targetNodeId].find((end) => !all.some(({ id }) => id === end));
    if (unknown !== undefined) throw new TypeError(`The workflow "${given.id}" has no node "${unknown}".`);
    edges.push({ ...edge, id: freeId(edge.id ?? `${edge.sourceNodeId}-to-${edge.targetNodeId}`, edges) });
  }
  return { ...given, nodes: all, edges };
}

function freeId(wanted: string, edges: readonly WorkflowEdge[]): string {
  const isUsed = (id: string) => edges.some((edge) => edge.id === id);
  let id = wanted;
  for (let number = 2; isUsed(id); number += 1) id = `${wanted}-${number}`;
  return id;
}

/** Without members that are undefined. */
function asJson(config: object): JsonObject {
  return JSON.parse(JSON.stringify(config)) as { readonly [name: string]: Json };
}
