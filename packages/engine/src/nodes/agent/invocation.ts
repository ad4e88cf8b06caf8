import {
  type Agent,
  agentOfWorkflow,
  type InvocationSource,
  isJsonObject,
  type Json,
  type JsonObject,
} from '@baton/protocol';
import { SUPERVISOR } from '../../kernel/graph/loops.ts';
import type { PlanNode } from '../../kernel/graph/plan.ts';
import { type EffectStep, effectSteps } from '../../kernel/run.ts';
import { emit, type WorkingRun } from '../../kernel/working-run.ts';
import { PREPARE, type Prepared, type PrepareRequest } from '../../ports/agent-effects.ts';
import type { ToolDescriptor } from '../../ports/tools.ts';

/**
 * One invocation of an agent: one attempt of one execution of its node, or the part of it since a critic sent the
 * agent back. All of it follows from the log.
 */
export interface Invocation {
  readonly working: WorkingRun;
  readonly node: PlanNode;
  readonly agent: Agent;
  readonly ready: Ready;
  readonly asked: PrepareRequest;
  readonly steps: readonly EffectStep[];
  readonly role: Role;
}

/** A supervisor decides what happens next, a critic judges, and a worker does the task. */
type Role = 'worker' | 'supervisor' | 'critic';

/** `undefined` while the agent is not prepared, or when it cannot be invoked. */
export function invocationOf(working: WorkingRun, node: PlanNode): Invocation | undefined {
  const steps = effectSteps(working.run, node.id);
  const first = steps[0];
  if (first?.effect.kind !== PREPARE || first.outputs === undefined) return undefined;
  const prepared = first.outputs as unknown as Prepared;
  const agent = ownAgent(node) ?? prepared.agent;
  const ready = readyOf(prepared, working.run.configurable.ai);
  if (agent === undefined || ready === undefined) return undefined;
  const asked = first.effect.request as unknown as PrepareRequest;
  return { working, node, agent, ready, asked, steps, role: roleOf(working, node) };
}

/** The agent in the definition of its own workflow. */
export function ownAgent({ config }: PlanNode): Agent | undefined {
  return config.agent as unknown as Agent | undefined;
}

function roleOf({ run }: WorkingRun, node: PlanNode): Role {
  if (node.type.typeId === SUPERVISOR) return 'supervisor';
  return run.role === 'critic' ? 'critic' : 'worker';
}

/** An agent that works for a supervisor or a critic was started by a workflow, also in a run that it has for itself. */
function sourceOf({ run }: WorkingRun): InvocationSource {
  return run.source !== undefined && agentOfWorkflow(run.workflowId) !== undefined
    ? run.source
    : 'workflow-node';
}

/** An invocation that revises the result of another one has the next number, as in `…:1:1.2`. */
export function invocationId({ run }: WorkingRun, nodeId: string): string {
  const state = run.nodes[nodeId];
  const id = `${run.runId}:${nodeId}:${state?.execution ?? 1}:${state?.attempt ?? 1}`;
  if (state?.status !== 'running') return id;
  const { revisions = 0, review } = state;
  const before = review?.verdict === 'revise' ? revisions + 1 : revisions;
  return before === 0 ? id : `${id}.${before + 1}`;
}

/** The first event of an invocation. */
export function openInvocation(
  working: WorkingRun,
  node: PlanNode,
  agentId: string,
  more: JsonObject = {},
): void {
  const state = working.run.nodes[node.id];
  if (state?.status !== 'running' || state.invocation !== undefined) return;
  const payload = { invocationId: invocationId(working, node.id), agentId, source: sourceOf(working) };
  emit(working, 'agent.invocation.started', { ...payload, ...more }, node.id, state.startedId);
}

export function agentIdOf(node: PlanNode): string {
  return ownAgent(node)?.agentId ?? node.node.agent?.agentId ?? `baton.agent.${node.id}`;
}

/** The value of the task that a template can name. */
export function taskFields(task: Json): JsonObject {
  return typeof task === 'object' && task !== null && !Array.isArray(task) ? (task as JsonObject) : { task };
}

/** A prepared agent that can be invoked. */
interface Ready {
  readonly version?: string;
  readonly provider: string;
  readonly model: string;
  readonly tools: readonly ToolDescriptor[];
}

function readyOf(
  { version, provider, model, tools = [] }: Prepared,
  chosen: Json | undefined,
): Ready | undefined {
  if (provider === undefined || model === undefined) return undefined;
  const target = { provider, model, ...choiceOf(chosen) };
  return { ...(version !== undefined && { version }), ...target, tools };
}

/**
 * The caller's choice was already used when the agent was prepared. It is used here for a branch that begins in the
 * middle of an invocation and chooses another model.
 */
function choiceOf(ai: Json | undefined): { readonly provider?: string; readonly model?: string } {
  if (!isJsonObject(ai) || typeof ai.model !== 'string') return {};
  const { provider, model } = ai;
  if (typeof provider === 'string') return { provider, model };
  const at = model.indexOf('/');
  return at === -1 ? { model } : { provider: model.slice(0, at), model: model.slice(at + 1) };
}
