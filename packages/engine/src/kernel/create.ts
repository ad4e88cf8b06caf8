import {
  AGENT_CHECKS,
  type AgentCheck,
  type AgentRef,
  type FieldProblem,
  type Json,
  type JsonObject,
  type MemoryLayer,
  type PayloadOf,
  type RunLimits,
  type RunOrigin,
  type WorkflowDefinition,
  type WorkflowVariable,
} from '@baton/protocol';
import type { ForkPoint } from '../ports/store.ts';
import { usualTurns } from './agents/live-supervisor.ts';
import { SUPERVISOR } from './graph/loops.ts';
import { own } from './graph/own.ts';
import type { Assignments } from './model.ts';
import { isSealed } from './secrecy/sealed.ts';
import { openRun, type ResolvedWorkflow, type Tree, type WorkingRun } from './working-run.ts';

/** Starts a run with its definition, its limits and its first variables. */

export interface NewRun {
  readonly runId: string;
  readonly workflow: ResolvedWorkflow;
  readonly tenant: string;
  readonly principal: string;
  readonly scopes?: readonly string[];
  readonly inputs: JsonObject;
  /** Variables that replace the defaults. `undefined` removes a default. */
  readonly seeds?: Assignments;
  readonly configurable?: JsonObject;
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
  readonly scopeId?: string;
  readonly traceparent?: string;
  /** How a run of an agent was started. */
  readonly source?: PayloadOf<'run.started'>['source'];
  readonly parent?: { readonly runId: string; readonly nodeId: string; readonly causedBy: string };
  readonly lineage?: readonly string[];
  /** The run of another host that asked for this run. */
  readonly origin?: RunOrigin;
  readonly role?: 'critic';
  /** The checks of agents that the parent makes. A root makes those of the host. */
  readonly agentChecks?: readonly AgentCheck[];
  /** The recorded settings of the host at the start of the source. Only replays have them. */
  readonly host?: Pick<PayloadOf<'run.started'>, 'limits' | 'chainEvents' | 'agentChecks'>;
  /** The run that this one replays. */
  readonly point?: ForkPoint;
  /** The memory that the run sees below its own memory scope. */
  readonly memoryBase?: readonly MemoryLayer[];
}

export function startRun(tree: Tree, spec: NewRun): WorkingRun {
  const { definition, digest } = spec.workflow.plan;
  const agent = soleAgent(definition);
  const {
    limits,
    chainEvents = true,
    agentChecks,
  } = spec.host ?? {
    limits: effectiveLimits(tree.world.limits, definition, spec.configurable),
    chainEvents: tree.world.chainEvents,
    agentChecks: spec.parent ? spec.agentChecks : tree.world.agentChecks,
  };
  const payload: PayloadOf<'run.started'> = {
    workflowId: definition.id,
    workflowVersion: spec.workflow.version,
    definition: digest,
    inputs: spec.inputs,
    variables: firstVariables(definition, spec.inputs, spec.seeds),
    owner: { tenant: spec.tenant, principal: spec.principal },
    limits,
    ...(spec.configurable && { configurable: spec.configurable }),
    ...(spec.tags && spec.tags.length > 0 && { tags: [...spec.tags] }),
    ...(spec.metadata && { metadata: spec.metadata }),
    ...(spec.scopeId && { scopeId: spec.scopeId }),
    ...(spec.traceparent && { traceparent: spec.traceparent }),
    ...(spec.parent && { parentRunId: spec.parent.runId, parentNodeId: spec.parent.nodeId }),
    ...(spec.lineage && spec.lineage.length > 0 && { lineage: [...spec.lineage] }),
    ...(spec.origin && { origin: spec.origin }),
    ...(agent && { agent }),
    ...(spec.source && { source: spec.source }),
    ...(spec.role && { role: spec.role }),
    ...(!chainEvents && { chainEvents: false }),
    ...(agentChecks && isFewer(agentChecks) && { agentChecks: [...agentChecks] }),
    ...(spec.scopes && { scopes: [...spec.scopes] }),
    ...(spec.memoryBase && spec.memoryBase.length > 0 && { memoryBase: [...spec.memoryBase] }),
  };
  const working = openRun(tree, spec.workflow.plan, spec.runId, payload, spec.parent?.causedBy, spec.point);
  tree.agenda.push(spec.runId);
  return working;
}

/** All checks are the rule, and not recorded. */
function isFewer(checks: readonly AgentCheck[]): boolean {
  return AGENT_CHECKS.some((check) => !checks.includes(check));
}

/** Inputs replace defaults, and seeds of a parent replace both. */
function firstVariables(definition: WorkflowDefinition, inputs: JsonObject, seeds?: Assignments): JsonObject {
  const variables: Record<string, Json> = {};
  for (const { name, defaultValue } of definition.variables ?? []) {
    if (defaultValue !== undefined) variables[name] = defaultValue;
  }
  Object.assign(variables, inputs);
  for (const [name, value] of Object.entries(seeds ?? {})) {
    if (value === undefined) delete variables[name];
    else variables[name] = value;
  }
  return variables;
}

/** For each limit, the lower of the host's limit and the caller's. */
export function effectiveLimits(
  host: RunLimits,
  definition: WorkflowDefinition,
  configurable: JsonObject | undefined,
): RunLimits {
  const timeout = definition.settings?.timeout;
  const turns = Math.min(host.loopIterations, usualTurns(definition));
  if (configurable === undefined && !timeout && turns === host.loopIterations) return recorded(host);
  return {
    ...recorded(host),
    nodeExecutions: stricter(host.nodeExecutions, configurable?.recursionLimit),
    durationMs: stricter(
      stricter(host.durationMs, configurable?.runTimeoutMs),
      timeout === 0 ? undefined : timeout,
    ),
    loopIterations:
      configurable?.maxLoopIterations === undefined
        ? turns
        : stricter(host.loopIterations, configurable.maxLoopIterations),
  };
}

const recordedLimits = new WeakMap<RunLimits, RunLimits>();

/**
 * The host's limits as a run records them, in a fixed order. Nearly all runs have the same, so they are made
 * once.
 */
function recorded(host: RunLimits): RunLimits {
  const known = recordedLimits.get(host);
  if (known !== undefined) return known;
  const { expressionSteps, stateCharacters, variables, logEvents, treeRuns } = host;
  const { nodeExecutions, durationMs, loopIterations } = host;
  const alone = { expressionSteps, stateCharacters, variables, logEvents, treeRuns };
  const limits = { ...alone, nodeExecutions, durationMs, loopIterations };
  recordedLimits.set(host, limits);
  return limits;
}

function stricter(limit: number, asked: Json | undefined): number {
  return typeof asked === 'number' ? Math.min(limit, asked) : limit;
}

function soleAgent(definition: WorkflowDefinition): AgentRef | undefined {
  return definition.nodes.find((node) => node.agent && node.typeId !== SUPERVISOR)?.agent;
}

/** The first input that does not fit the workflow's declared variables. */
export function problemWithInputs(
  definition: WorkflowDefinition,
  inputs: JsonObject,
): FieldProblem | undefined {
  for (const variable of definition.variables ?? []) {
    const value = own(inputs, variable.name);
    const field = `inputs.${variable.name}`;
    if (value === undefined) {
      if (variable.required && variable.defaultValue === undefined) return { field, problem: 'is required' };
    } else if (!fits(value, variable.type)) {
      return { field, problem: `must be of type ${variable.type}` };
    }
  }
  return undefined;
}

/** The type of a sealed value cannot be checked. It was checked before the value was sealed. */
function fits(value: Json, type: WorkflowVariable['type']): boolean {
  if (isSealed(value)) return true;
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      // The protocol uses "object" for arbitrary JSON.
      return true;
    default:
      return value === null || typeof value === type;
  }
}
