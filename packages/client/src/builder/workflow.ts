import {
  completeDefinition,
  type Json,
  type JsonObject,
  WorkflowDefinition,
  type WorkflowEdge,
  type WorkflowNode,
} from '@baton/protocol';
import { type Condition, toCondition } from './condition.ts';
import { gateSettings, verifierOf } from './gate.ts';
import { type Ports, toPorts } from './ports.ts';
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

/** The order of the members of a definition is that of the protocol's schema, so that a change makes a small diff. */
const FIELDS = namesIn(WorkflowDefinition);
const OF_NODES = namesIn(WorkflowDefinition.properties.nodes.items);
const OF_EDGES = namesIn(itemsOf(WorkflowDefinition.properties.edges));
const OF_VARIABLES = namesIn(itemsOf(WorkflowDefinition.properties.variables));

/** The definition as a host registers it: with all defaults, positions, and its members in a stable order. */
function stableDefinition(given: WorkflowDefinition): WorkflowDefinition {
  const definition = completeDefinition({ ...given, nodes: placed(given) });
  return inOrder(FIELDS, {
    ...definition,
    nodes: definition.nodes.map((node) => inOrder(OF_NODES, node)),
    edges: definition.edges?.map((edge) => inOrder(OF_EDGES, edge)),
    variables: definition.variables?.map((variable) => inOrder(OF_VARIABLES, variable)),
  });
}

function itemsOf(schema: unknown): unknown {
  return (schema as { readonly items: unknown }).items;
}

function namesIn(schema: unknown): readonly string[] {
  return Object.keys((schema as { readonly properties: object }).properties);
}

function inOrder<T extends object>(names: readonly string[], value: T): T {
  const given = value as Readonly<Record<string, unknown>>;
  const known = names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]);
  return Object.fromEntries(known) as T;
}

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

const COLUMN = 240;
const ROW = 120;

type Position = { readonly x: number; readonly y: number };

/**
 * Places for the nodes that have none: a column for each step from the first nodes, with its nodes around one axis.
 * An edge to a node that was added before its source, such as the next turn of a supervisor, is ignored.
 */
function placed({ nodes, edges = [] }: WorkflowDefinition): WorkflowDefinition['nodes'] {
  const columns = new Map<string, number>();
  for (const { id } of nodes) {
    const before = edges.filter(({ targetNodeId }) => targetNodeId === id);
    const steps = before.map(({ sourceNodeId }) => columns.get(sourceNodeId) ?? -1);
    columns.set(id, Math.max(-1, ...steps) + 1);
  }
  const inColumn = (column: number) => nodes.filter(({ id }) => columns.get(id) === column);
  const placeOf = (id: string): Position => {
    const column = columns.get(id) ?? 0;
    const beside = inColumn(column);
    const row = beside.findIndex((node) => node.id === id) - (beside.length - 1) / 2;
    return { x: column * COLUMN, y: row * ROW };
  };
  return nodes.map((node) => ({ ...node, position: node.position ?? placeOf(node.id) }));
}
