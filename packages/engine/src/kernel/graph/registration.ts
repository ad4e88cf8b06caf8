import {
  BatonError,
  brokenSchema,
  completeDefinition,
  type FieldProblem,
  invalid,
  isJsonObject,
  type JsonObject,
  problemWith,
  ToolVerifiers,
  Verifier,
  WorkflowDefinition,
  type WorkflowNode,
} from '@baton/protocol';
import { OutputAttestation } from '../handoff/gate.ts';
import type { NodeType } from '../model.ts';
import { schemasOf, tooLargeDefinition } from './bounds.ts';
import { checkCondition } from './condition.ts';
import { compileExpression, firstLine } from './expression.ts';
import { DISPATCH, findLoops, isBackEdge, problemWithLoops, SUPERVISOR } from './loops.ts';
import { problemsFoundBy, type Rule } from './rules.ts';
import { warningsAbout } from './warnings.ts';

/** Checks a definition before any run may start from it, so that mistakes are reported early. */

export interface Features {
  readonly dispatchMapping: boolean;
  readonly subWorkflowInputMapping: boolean;
}

interface Registration {
  readonly definition: WorkflowDefinition;
  readonly warnings: readonly string[];
}

interface Judgement {
  /** Absent when the given value has not the form of a definition. */
  readonly definition?: WorkflowDefinition;
  readonly problems: readonly BatonError[];
  /** Empty when there are problems. */
  readonly warnings: readonly string[];
}

/** Throws the first problem. */
export function checkDefinition(
  given: unknown,
  features: Features,
  typeOf: (typeId: string) => NodeType | undefined,
  knownTypes: readonly string[],
): Registration {
  const definition = wellFormed(given, features);
  for (const { check } of rulesFor(definition, typeOf, knownTypes)) check();
  return { definition, warnings: warningsAbout(definition) };
}

/** All problems that can be found at once, for an author who corrects a definition. */
export function judgeDefinition(
  given: unknown,
  features: Features,
  typeOf: (typeId: string) => NodeType | undefined,
  knownTypes: readonly string[],
): Judgement {
  let definition: WorkflowDefinition | undefined;
  const formed = () => {
    definition = wellFormed(given, features);
  };
  const unformed = problemsFoundBy([{ check: formed }]);
  if (definition === undefined) return { problems: unformed, warnings: [] };
  const problems = problemsFoundBy(rulesFor(definition, typeOf, knownTypes));
  return { definition, problems, warnings: problems.length > 0 ? [] : warningsAbout(definition) };
}

/** The definition with its defaults. Throws when it has not the form of a definition, or is too large. */
function wellFormed(given: unknown, features: Features): WorkflowDefinition {
  if (isJsonObject(given)) refuseSwitchedOffMappings(given, features);
  const problem = problemWith(WorkflowDefinition, given);
  if (problem) throw invalid('workflow', problem);
  const definition = completeDefinition(given as WorkflowDefinition);
  const large = tooLargeDefinition(definition);
  if (large) throw invalid('workflow', large);
  return definition;
}

function rulesFor(
  definition: WorkflowDefinition,
  typeOf: (typeId: string) => NodeType | undefined,
  knownTypes: readonly string[],
): readonly Rule[] {
  return [
    ...nodeRules(definition, typeOf, knownTypes),
    ...edgeRules(definition),
    { check: () => checkLoops(definition), needsEarlier: true },
    { check: () => checkSchemas(definition), needsEarlier: true },
    { check: () => checkChannels(definition) },
    ...expressionRules(definition),
  ];
}

const DISPATCH_MAPPINGS = [
  'inputMapping',
  'outputMapping',
  'perWorkerInputMappings',
  'perWorkerOutputMappings',
];

/** A mapping that this host would ignore is refused, so that no author relies on it. */
function refuseSwitchedOffMappings(given: JsonObject, features: Features): void {
  const nodes = Array.isArray(given.nodes) ? given.nodes.filter(isJsonObject) : [];
  nodes.forEach((node, index) => {
    const config = isJsonObject(node.config) ? node.config : {};
    const refuse = (fields: readonly string[], requiredCapability: string) => {
      const field = fields.find((name) => isJsonObject(config[name]) && Object.keys(config[name]).length > 0);
      if (field === undefined) return;
      throw new BatonError('validation_error', `nodes.${index}.config.${field} needs ${requiredCapability}`, {
        field: `nodes.${index}.config.${field}`,
        requiredCapability,
      });
    };
    if (node.typeId === 'core.dispatch' && !features.dispatchMapping) {
      refuse(DISPATCH_MAPPINGS, 'agents.dispatchMapping');
    }
    if (node.typeId === 'core.subWorkflow' && !features.subWorkflowInputMapping) {
      refuse(['inputMapping'], 'subWorkflow.inputMapping');
    }
  });
}

function nodeRules(
  definition: WorkflowDefinition,
  typeOf: (typeId: string) => NodeType | undefined,
  knownTypes: readonly string[],
): readonly Rule[] {
  const seen = new Set<string>();
  const checkNode = (node: WorkflowNode, index: number) => {
    const at = `nodes.${index}`;
    if (seen.has(node.id))
      throw invalid('workflow', { field: `${at}.id`, problem: `"${node.id}" is used twice` });
    seen.add(node.id);
    if (node.id in {})
      throw invalid('workflow', { field: `${at}.id`, problem: `"${node.id}" is a reserved name` });
    const type = typeOf(node.typeId);
    if (type === undefined) {
      const problem = { field: `${at}.typeId`, problem: `"${node.typeId}" is not a node type of this host` };
      throw invalid('workflow', problem, { known: knownTypes });
    }
    checkConfig(node, type, at);
  };
  return definition.nodes.map((node, index) => ({ check: () => checkNode(node, index) }));
}

function checkConfig(node: WorkflowNode, type: NodeType, at: string): void {
  if (node.config?.fanOutPolicy === 'parallel') {
    const problem = 'parallel fan-out is not supported; use "sequential" or "reject"';
    throw invalid('workflow', { field: `${at}.config.fanOutPolicy`, problem });
  }
  if (node.config?.askUserRouting === 'conversation') {
    const problem =
      'conversation routing needs a capability that this host does not have; use "clarification"';
    throw invalid(
      'workflow',
      { field: `${at}.config.askUserRouting`, problem },
      {
        requiredCapability: 'conversationPrimitive',
      },
    );
  }
  const problem = problemWith(type.config, node.config ?? {}) ?? tooFewApprovers(node.config);
  if (problem) {
    const field = problem.field === '' ? `${at}.config` : `${at}.config.${problem.field}`;
    throw invalid('workflow', { field, problem: problem.problem });
  }
  checkPlaces(node, at);
  checkGate(node, at);
  const inConfig = tooFewApprovers(node.config?.outputAttestation);
  if (inConfig) {
    const field = `${at}.config.outputAttestation.${inConfig.field}`;
    throw invalid('workflow', { field, problem: inConfig.problem });
  }
  const complaint = type.check?.(node)[0];
  if (complaint !== undefined) {
    throw new BatonError('validation_error', `workflow: ${at}.${complaint}`, { field: at });
  }
}

const HANDS_OVER = [DISPATCH, 'core.subWorkflow'];
const THINKS = ['core.agent', SUPERVISOR];

/** Settings that only some node types use. On other nodes they would be ignored, so they are refused. */
const PLACES: Readonly<Record<string, { readonly types: readonly string[]; readonly called: string }>> = {
  outputAttestation: { types: HANDS_OVER, called: 'dispatch and sub-workflow' },
  verifier: { types: [...HANDS_OVER, ...THINKS], called: 'dispatch, sub-workflow, agent and supervisor' },
  toolVerifiers: { types: THINKS, called: 'agent and supervisor' },
  memoryScopeIsolation: { types: HANDS_OVER, called: 'dispatch and sub-workflow' },
  decide: { types: [SUPERVISOR], called: 'supervisor' },
};

function checkPlaces({ settings = {}, typeId }: WorkflowNode, at: string): void {
  for (const [name, { types, called }] of Object.entries(PLACES)) {
    if (settings[name as keyof typeof settings] === undefined || types.includes(typeId)) continue;
    const field = `${at}.settings.${name}`;
    throw invalid('workflow', { field, problem: `belongs to ${called} nodes only` });
  }
}

const GATE_SETTINGS = {
  outputAttestation: OutputAttestation,
  verifier: Verifier,
  toolVerifiers: ToolVerifiers,
};

/** A misspelt merge gate would let all outputs through, so it is refused. */
function checkGate(node: WorkflowNode, at: string): void {
  const settings = node.settings ?? {};
  for (const [name, schema] of Object.entries(GATE_SETTINGS)) {
    const given = settings[name as keyof typeof settings] as unknown;
    if (given === undefined) continue;
    const field = `${at}.settings.${name}`;
    const problem = problemWith(schema, given) ?? tooFewApprovers(given);
    if (!problem) continue;
    throw invalid('workflow', {
      field: problem.field === '' ? field : `${field}.${problem.field}`,
      problem: problem.problem,
    });
  }
}

/** More required approvals than listed approvers would make the run wait for ever. */
function tooFewApprovers(given: unknown): FieldProblem | undefined {
  if (!isJsonObject(given) || !Array.isArray(given.approversList) || given.approversList.length === 0)
    return undefined;
  const listed = new Set(given.approversList).size;
  if (typeof given.requiredApprovals !== 'number' || given.requiredApprovals <= listed) return undefined;
  return { field: 'requiredApprovals', problem: `is more than the ${listed} that approversList names` };
}

function edgeRules({ nodes, edges = [] }: WorkflowDefinition): readonly Rule[] {
  const ids = new Set(nodes.map((node) => node.id));
  const checkEnds = (edge: (typeof edges)[number], index: number) => {
    for (const end of ['sourceNodeId', 'targetNodeId'] as const) {
      if (ids.has(edge[end])) continue;
      throw invalid('workflow', { field: `edges.${index}.${end}`, problem: `names no node: "${edge[end]}"` });
    }
  };
  return edges.map((edge, index) => ({ check: () => checkEnds(edge, index) }));
}

function checkLoops(definition: WorkflowDefinition): void {
  const edges = definition.edges ?? [];
  const loops = findLoops(definition);
  const problem = problemWithLoops(definition, loops);
  if (problem) throw invalid('workflow', problem);
  const forward = edges.filter((edge) => !isBackEdge(edge, loops));
  const cycle = findCycle(
    definition.nodes.map((node) => node.id),
    forward,
  );
  if (cycle) {
    const problem = `form a cycle: ${cycle.join(' → ')}; only a supervisor and its dispatch node may loop`;
    throw invalid('workflow', { field: 'edges', problem });
  }
}

/** Schemas for answers and options must be valid when the definition is registered. */
function checkSchemas(definition: WorkflowDefinition): void {
  for (const [field, schema] of schemasOf(definition)) {
    const broken = brokenSchema(schema);
    if (broken !== undefined)
      throw invalid('workflow', { field, problem: `is not a usable schema: ${broken}` });
  }
}

/** A run compiles an expression when it first needs it, so all expressions are compiled here once. */
function expressionRules({ nodes, edges = [] }: WorkflowDefinition): readonly Rule[] {
  const inNodes = nodes.flatMap((node, index) =>
    Object.entries(node.inputs ?? {}).flatMap(([name, port]) =>
      port.type === 'expression'
        ? compiling(`nodes.${index}.inputs.${name}`, () => compileExpression(port.expression))
        : [],
    ),
  );
  const inEdges = edges.flatMap(({ condition }, index) =>
    condition ? compiling(`edges.${index}.condition`, () => checkCondition(condition)) : [],
  );
  return [...inNodes, ...inEdges];
}

function compiling(field: string, compile: () => void): Rule {
  return {
    check() {
      try {
        compile();
      } catch (cause) {
        const why = firstLine(cause instanceof Error ? cause.message : String(cause));
        throw invalid('workflow', { field, problem: `is not valid: ${why}` });
      }
    },
  };
}

/** A counter has to add numbers, which is not possible with sealed values. */
function checkChannels({ channels = {} }: WorkflowDefinition): void {
  for (const [name, { reducer, sensitive }] of Object.entries(channels)) {
    if (sensitive !== true || reducer !== 'counter') continue;
    const problem = 'goes with any reducer but "counter", which has to see the numbers';
    throw invalid('workflow', { field: `channels.${name}.sensitive`, problem });
  }
}

/** Kahn's algorithm. The nodes that cannot be ordered are on a cycle or after one. */
function findCycle(
  ids: readonly string[],
  edges: readonly { readonly sourceNodeId: string; readonly targetNodeId: string }[],
): readonly string[] | undefined {
  const incoming = new Map(ids.map((id) => [id, 0]));
  const outgoing = new Map<string, string[]>();
  for (const { sourceNodeId, targetNodeId } of edges) {
    incoming.set(targetNodeId, (incoming.get(targetNodeId) ?? 0) + 1);
    const targets = outgoing.get(sourceNodeId) ?? [];
    outgoing.set(sourceNodeId, targets);
    targets.push(targetNodeId);
  }
  const free = ids.filter((id) => incoming.get(id) === 0);
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    incoming.delete(id);
    for (const target of outgoing.get(id) ?? []) {
      const left = (incoming.get(target) ?? 0) - 1;
      incoming.set(target, left);
      if (left === 0) free.push(target);
    }
  }
  const rest = [...incoming.keys()];
  return rest.length > 0 ? rest : undefined;
}
