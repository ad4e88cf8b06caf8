import {
  BatonError,
  brokenSchema,
  completeDefinition,
  type FieldProblem,
  invalid,
  isJsonObject,
  isScope,
  type JsonObject,
  problemWith,
  ToolVerifiers,
  Verifier,
  WorkflowDefinition,
  type WorkflowNode,
} from '@baton/protocol';
import { criticsIn, gateOf, OutputAttestation } from '../handoff/gate.ts';
import type { NodeType } from '../model.ts';
import { schemasOf, tooLargeDefinition } from './bounds.ts';
import { checkCondition } from './condition.ts';
import { compileExpression, firstLine } from './expression.ts';
import {
  DISPATCH,
  findLoops,
  indirectDispatches,
  isBackEdge,
  problemWithLoops,
  SUPERVISOR,
} from './loops.ts';

/** Checks a definition before any run may start from it, so that mistakes are reported early. */

export interface Features {
  readonly dispatchMapping: boolean;
  readonly subWorkflowInputMapping: boolean;
  /** Accepts a dispatch node without an edge back that has other incoming edges, as version 0.3 did. */
  readonly formerLoops?: boolean;
}

interface Registration {
  readonly definition: WorkflowDefinition;
  readonly warnings: readonly string[];
}

export function checkDefinition(
  given: unknown,
  features: Features,
  typeOf: (typeId: string) => NodeType | undefined,
  knownTypes: readonly string[],
): Registration {
  if (isJsonObject(given)) refuseSwitchedOffMappings(given, features);
  const problem = problemWith(WorkflowDefinition, given);
  if (problem) throw invalid('workflow', problem);
  const definition = completeDefinition(given as WorkflowDefinition);
  const large = tooLargeDefinition(definition);
  if (large) throw invalid('workflow', large);
  checkNodes(definition, typeOf, knownTypes);
  checkEdges(definition, features);
  checkSchemas(definition);
  checkChannels(definition);
  checkExpressions(definition);
  const warnings = [undeclaredVariables, openDefaults, indirectDispatches, unknownScopes].flatMap((warn) =>
    warn(definition),
  );
  return { definition, warnings };
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

function checkNodes(
  definition: WorkflowDefinition,
  typeOf: (typeId: string) => NodeType | undefined,
  knownTypes: readonly string[],
): void {
  const seen = new Set<string>();
  definition.nodes.forEach((node, index) => {
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
  });
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

function checkEdges(definition: WorkflowDefinition, { formerLoops = false }: Features): void {
  const ids = new Set(definition.nodes.map((node) => node.id));
  const edges = definition.edges ?? [];
  edges.forEach((edge, index) => {
    for (const end of ['sourceNodeId', 'targetNodeId'] as const) {
      if (ids.has(edge[end])) continue;
      throw invalid('workflow', { field: `edges.${index}.${end}`, problem: `names no node: "${edge[end]}"` });
    }
  });
  const loops = findLoops(definition).filter(({ closed }) => closed || !formerLoops);
  const problem = problemWithLoops(definition, loops);
  if (problem) throw invalid('workflow', problem);
  const forward = edges.filter((edge) => !isBackEdge(edge, loops));
  const cycle = findCycle([...ids], forward);
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
function checkExpressions(definition: WorkflowDefinition): void {
  const check = (field: string, compile: () => void) => {
    try {
      compile();
    } catch (cause) {
      const why = firstLine(cause instanceof Error ? cause.message : String(cause));
      throw invalid('workflow', { field, problem: `is not valid: ${why}` });
    }
  };
  definition.nodes.forEach((node, index) => {
    for (const [name, port] of Object.entries(node.inputs ?? {})) {
      if (port.type !== 'expression') continue;
      check(`nodes.${index}.inputs.${name}`, () => compileExpression(port.expression));
    }
  });
  definition.edges?.forEach(({ condition }, index) => {
    if (condition) check(`edges.${index}.condition`, () => checkCondition(condition));
  });
}

/** A counter has to add numbers, which is not possible with sealed values. */
function checkChannels({ channels = {} }: WorkflowDefinition): void {
  for (const [name, { reducer, sensitive }] of Object.entries(channels)) {
    if (sensitive !== true || reducer !== 'counter') continue;
    const problem = 'goes with any reducer but "counter", which has to see the numbers';
    throw invalid('workflow', { field: `channels.${name}.sensitive`, problem });
  }
}

/** A definition is stored and shown unchanged, so the default value of a sensitive variable is not hidden. */
function openDefaults({ variables = [] }: WorkflowDefinition): readonly string[] {
  return variables
    .filter(({ sensitive, defaultValue }) => sensitive === true && defaultValue !== undefined)
    .map(({ name }) => `the variable "${name}" is sensitive, but everybody can read its default value here`);
}

/** The scopes of a child may name a scope of another host. It grants nothing here, so this is only a warning. */
function unknownScopes({ nodes }: WorkflowDefinition): readonly string[] {
  return nodes.flatMap((node) => {
    const gate = gateOf({ node, config: (node.config ?? {}) as JsonObject });
    const tools = Object.values(criticsIn(node).toolVerifiers ?? {});
    const named = [gate?.attestation, gate?.verifier, ...tools].flatMap((one) => one?.principalScope ?? []);
    return [...new Set(named)]
      .filter((scope) => !isScope(scope))
      .map((scope) => `node "${node.id}": "${scope}" is not a scope of this host and grants nothing`);
  });
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

/** Only a warning: a variable may come from the inputs of the caller. Often it is a typing mistake. */
function undeclaredVariables(definition: WorkflowDefinition): readonly string[] {
  const declared = new Set(definition.variables?.map((variable) => variable.name));
  const warnings: string[] = [];
  for (const node of definition.nodes) {
    for (const name of parentNames(node)) {
      if (declared.has(name)) continue;
      warnings.push(
        `node "${node.id}": a mapping names the parent variable "${name}", which is not declared`,
      );
    }
  }
  return [...new Set(warnings)];
}

function parentNames(node: WorkflowNode): readonly string[] {
  const config = node.config ?? {};
  const maps = (field: string) => {
    const perWorker = config[`perWorker${field}s`];
    const own = isJsonObject(perWorker) ? Object.values(perWorker) : [];
    return [config[`${field.charAt(0).toLowerCase()}${field.slice(1)}`], ...own].filter(isJsonObject);
  };
  const fromInputs = maps('InputMapping').flatMap((map) => Object.values(map).map(String));
  const fromOutputs = maps('OutputMapping').flatMap((map) => Object.keys(map));
  return [...fromInputs, ...fromOutputs];
}
