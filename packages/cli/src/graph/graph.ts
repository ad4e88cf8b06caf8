import {
  type EdgeCondition,
  isJsonObject,
  type Json,
  type JsonObject,
  type TriggerRule,
  type WorkflowDefinition,
  type WorkflowEdge,
  type WorkflowNode,
} from '@baton/protocol';
import { approversText, gateStages, type Stage } from './gate-stages.ts';

/** A workflow as it is drawn: the texts of its nodes and edges, without a layout. */
export interface Graph {
  readonly title: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** `person`: somebody is asked. `children`: work is handed to child runs. `step`: all others. */
export type Kind = 'person' | 'children' | 'step';

export interface GraphNode {
  readonly id: string;
  readonly kind: Kind;
  readonly title: string;
  readonly details: readonly string[];
  readonly children: readonly Child[];
  /** The stages of the merge gate before a result is merged, or of a critic before a result is used. */
  readonly stages: readonly Stage[];
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly label?: string;
  /** Leads back, mostly from a dispatch node to its supervisor for the next turn. */
  readonly back: boolean;
}

const SUPERVISOR = 'core.orchestrator.supervisor';
const DISPATCH = 'core.dispatch';
const ASKING = ['core.approvalGate', 'core.clarificationGate', 'core.interrupt'];
const HANDING = [DISPATCH, 'core.subWorkflow'];

const TYPE_WORDS: Readonly<Record<string, string>> = {
  [SUPERVISOR]: 'supervisor',
  [DISPATCH]: 'dispatch',
  'core.subWorkflow': 'child workflow',
  'core.agent': 'agent',
  'core.approvalGate': 'approval',
  'core.clarificationGate': 'clarification',
  'core.interrupt': 'interrupt',
  'core.delay': 'delay',
  'vendor.baton.set': 'set',
};

export function graphOf(definition: WorkflowDefinition): Graph {
  const { id, name, version, nodes, edges = [] } = definition;
  const typeOf = new Map(nodes.map((node) => [node.id, node.typeId]));
  const known = edges.filter(({ sourceNodeId, targetNodeId }) =>
    [sourceNodeId, targetNodeId].every((end) => typeOf.has(end)),
  );
  const turns = (edge: WorkflowEdge) =>
    typeOf.get(edge.sourceNodeId) === DISPATCH && typeOf.get(edge.targetNodeId) === SUPERVISOR;
  return {
    title: [id, name === id ? undefined : name, version && `version ${version}`].filter(Boolean).join(' · '),
    nodes: nodes.map((node) => nodeOf(node, definition)),
    edges: edgesOf(
      nodes.map((node) => node.id),
      known.map((edge) => ({ ...endsOf(edge), label: edgeLabel(edge), turns: turns(edge) })),
    ),
  };
}

function endsOf({ sourceNodeId, targetNodeId }: WorkflowEdge) {
  return { from: sourceNodeId, to: targetNodeId };
}

interface KnownEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly turns: boolean;
}

/** A definition that is not registered yet may have cycles that a host refuses. They are shown too. */
function edgesOf(ids: readonly string[], edges: readonly KnownEdge[]): readonly GraphEdge[] {
  const forward = new Set(
    withoutCycles(
      ids,
      edges.filter(({ turns }) => !turns),
    ),
  );
  return edges.map(({ turns, label: given, ...edge }, at) => {
    const back = !forward.has(edges[at] as KnownEdge);
    const label = given !== '' || !back ? given : turns ? 'next turn' : 'a cycle';
    return { ...edge, back, ...(label !== '' && { label }) };
  });
}

function nodeOf(node: WorkflowNode, definition: WorkflowDefinition): GraphNode {
  const { id, typeId, name, disabled } = node;
  const type = TYPE_WORDS[typeId] ?? typeId.replace(/^(?:core|vendor\.baton)\./, '');
  const title = `${id} · ${type}${disabled === true ? ' (disabled)' : ''}`;
  return {
    id,
    kind: ASKING.includes(typeId) ? 'person' : HANDING.includes(typeId) ? 'children' : 'step',
    title,
    details: [...(name === undefined || name === id ? [] : [name]), ...detailsOf(node)],
    children: childrenOf(node, definition),
    stages: gateStages(node),
  };
}

/** A child workflow or an agent that a node hands work to. */
interface Child {
  readonly id: string;
  /** The variables that are merged from it, such as `report ← text`. */
  readonly merges: readonly string[];
}

/**
 * The workers that a node can hand work to. A dispatch node names none itself: its supervisor chooses them, so they
 * are those of the supervisor's list or plan, and those that the dispatch node has mappings for.
 */
function childrenOf(node: WorkflowNode, { nodes }: WorkflowDefinition): readonly Child[] {
  const config = (node.config ?? {}) as JsonObject;
  switch (node.typeId) {
    case 'core.subWorkflow':
      return typeof config.workflowId === 'string' ? [child(config.workflowId, config)] : [];
    case 'core.dispatch': {
      const supervisor = nodes.find(({ typeId }) => typeId === 'core.orchestrator.supervisor');
      const mapped = ['perWorkerInputMappings', 'perWorkerOutputMappings'].flatMap((name) =>
        Object.keys(isJsonObject(config[name]) ? config[name] : {}),
      );
      const ids = [...chosenBy(supervisor?.config ?? {}), ...mapped];
      return [...new Set(ids)].map((id) => child(id, config));
    }
    default:
      return [];
  }
}

function chosenBy(config: WorkflowNode['config'] & object): readonly string[] {
  const { workers, script } = config as JsonObject;
  return [
    ...listed(workers).flatMap(({ id }) => (typeof id === 'string' ? [id] : [])),
    ...listed(script).flatMap(({ nextWorkerIds }) =>
      Array.isArray(nextWorkerIds) ? nextWorkerIds.map(String) : [],
    ),
  ];
}

/** The mapping of a worker replaces the mapping for all workers. */
function child(id: string, { outputMapping, perWorkerOutputMappings }: JsonObject): Child {
  const own = isJsonObject(perWorkerOutputMappings) ? perWorkerOutputMappings[id] : undefined;
  const mapping = own ?? outputMapping;
  const entries = isJsonObject(mapping) ? Object.entries(mapping) : [];
  return {
    id,
    merges: entries.map(([parent, from]) => (parent === from ? parent : `${parent} ← ${String(from)}`)),
  };
}

function listed(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** `all_success` is the rule of an edge that states none, so it is not written. */
const RULES: Readonly<Record<TriggerRule, string>> = {
  all_success: '',
  any_success: 'if any succeeded',
  all_complete: 'in any case',
  none_failed: 'if none failed',
  any_failed: 'on failure',
};

/** When an edge is taken, in a few words: its label, its condition and its rule. */
function edgeLabel({ label, condition, triggerRule = 'all_success' }: WorkflowEdge): string {
  return [label, condition && conditionText(condition), RULES[triggerRule]].filter(Boolean).join(', ');
}

const SIGNS: Readonly<Record<string, string>> = {
  equals: '=',
  notEquals: '≠',
  contains: 'contains',
  regex: 'matches',
};

function conditionText({ type, left = '', right, expression }: EdgeCondition): string {
  const sign = type === undefined ? undefined : SIGNS[type];
  if (sign === undefined) return shortNames(expression ?? left);
  return `${shortNames(left)} ${sign} ${typeof right === 'string' ? right : JSON.stringify(right)}`;
}

function shortNames(expression: string): string {
  return expression.replaceAll('variables.', '');
}

/** The few words of a configuration that tell a reader what a node does. */
function detailsOf({ typeId, config = {}, settings = {}, agent }: WorkflowNode): readonly string[] {
  const given = config as JsonObject;
  const { decide, timeoutMs, retry } = settings;
  return [
    ...(agent === undefined ? [] : [`agent ${agent.agentId}`]),
    ...(decide === undefined ? [] : [`decides by ${decide}`]),
    ...(OF_TYPE[typeId]?.(given) ?? []),
    ...(timeoutMs === undefined ? [] : [`at most ${duration(timeoutMs)}`]),
    ...(retry === undefined ? [] : [`${retry.maxRetries} ${retry.maxRetries === 1 ? 'retry' : 'retries'}`]),
  ];
}

const OF_TYPE: Readonly<Record<string, (config: JsonObject) => readonly string[]>> = {
  'core.delay': ({ delayMs }) => (typeof delayMs === 'number' ? [duration(delayMs)] : []),
  'vendor.baton.set': ({ assign }) =>
    Object.entries(isJsonObject(assign) ? assign : {}).map(([name, value]) => `${name} = ${text(value)}`),
  'core.approvalGate': (config) => [
    ...(typeof config.title === 'string' ? [`“${config.title}”`] : []),
    approversText(config),
  ],
  'core.clarificationGate': ({ questions }) =>
    (Array.isArray(questions) ? questions : []).flatMap((one) =>
      isJsonObject(one) && typeof one.question === 'string' ? [`“${one.question}”`] : [],
    ),
  'core.subWorkflow': ({ waitForCompletion }) =>
    waitForCompletion === false ? ['does not wait for the child'] : [],
};

function text(value: Json): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('variables.', '');
}

function duration(ms: number): string {
  const [unit, size] = UNITS.find(([, length]) => ms >= length && ms % length === 0) ?? (['ms', 1] as const);
  return `${ms / size} ${unit}`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

interface Ends {
  readonly from: string;
  readonly to: string;
}

/** Edges of which none leads back. All edges of a registered workflow but that of its loop are such edges. */
function withoutCycles<E extends Ends>(ids: readonly string[], edges: readonly E[]): readonly E[] {
  const outgoing = new Map<string, Ends[]>();
  for (const edge of edges) outgoing.set(edge.from, [...(outgoing.get(edge.from) ?? []), edge]);
  const done = new Set<string>();
  const kept = new Set<Ends>();
  for (const start of ids) visit(start, outgoing, done, kept);
  return edges.filter((edge) => kept.has(edge));
}

/** Depth first, without recursion: an edge to a node that is on the path closes a cycle and is not kept. */
function visit(
  start: string,
  outgoing: ReadonlyMap<string, readonly Ends[]>,
  done: Set<string>,
  kept: Set<Ends>,
): void {
  const path: { readonly id: string; next: number }[] = [];
  const onPath = new Set<string>();
  const enter = (id: string) => {
    path.push({ id, next: 0 });
    onPath.add(id);
  };
  if (!done.has(start)) enter(start);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const edge = outgoing.get(top.id)?.[top.next];
    top.next += 1;
    if (edge === undefined) {
      done.add(top.id);
      onPath.delete(top.id);
      path.pop();
      continue;
    }
    if (onPath.has(edge.to)) continue;
    kept.add(edge);
    if (!done.has(edge.to)) enter(edge.to);
  }
}
