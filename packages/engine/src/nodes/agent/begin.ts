import {
  type Agent,
  haveToolInCommon,
  isJsonObject,
  type Json,
  type ModelMessage,
  problemByAuthor,
  runError,
} from '@baton/protocol';
import { reserveForAgent } from '../../kernel/budgets/reserve.ts';
import { failNode, intend, viewOf } from '../../kernel/execute.ts';
import type { PlanNode } from '../../kernel/graph/plan.ts';
import { recall } from '../../kernel/memory/recall.ts';
import { catchUp } from '../../kernel/memory/shared-scope.ts';
import { emit, type WorkingRun } from '../../kernel/working-run.ts';
import { type Needs, PREPARE, type Prepared, type PrepareRequest } from '../../ports/agent-effects.ts';
import { deniedFor } from './budget.ts';
import { judgedTools } from './critics/verifiers.ts';
import { agentIdOf, type Invocation, invocationOf, openInvocation, ownAgent } from './invocation.ts';
import { askFirst } from './loop.ts';
import { bindsMemory, surfaceOf } from './surface.ts';

/** The beginning of an invocation: the task is recorded, the agent is prepared, the task is checked. */

const MOST_REMEMBERED = 20;

/** False when a look-up or a commit is needed first. */
export function beginInvocation(working: WorkingRun, node: PlanNode): boolean {
  const own = ownAgent(node);
  // The manifest of an agent that is looked up is not known yet. Its prompt leaves the memory out if need be.
  const mayRemember = own === undefined || bindsMemory(own);
  const memory = mayRemember ? catchUp(working) : 'current';
  if (memory !== 'current') return memory === 'moved';
  const remembered = mayRemember ? recall(working, { limit: MOST_REMEMBERED }) : [];
  if (remembered === 'unknown') return false;
  const { run } = working;
  const view = viewOf(working, node, run.nodes[node.id]?.execution ?? 1);
  if ('error' in view) {
    failNode(working, node, view.error);
    return true;
  }
  const { history, ...task } = own ? run.variables : view.inputs;
  const entries = remembered.map(({ content }) => content);
  prepareFor(working, node, { task, ...historyOf(history), ...(entries.length > 0 && { memory: entries }) });
  return true;
}

type Given = Pick<PrepareRequest, 'task' | 'history' | 'memory'>;

/** Intends the preparation of the agent for this task. */
export function prepareFor(working: WorkingRun, node: PlanNode, given: Given): void {
  const { run } = working;
  const own = ownAgent(node);
  const { ai } = run.configurable;
  const request: PrepareRequest = {
    agentId: agentIdOf(node),
    asOf: run.startedAt,
    ...(own && {
      own: needsOf(own),
    }),
    ...(isJsonObject(ai) && { ai: ai as PrepareRequest['ai'] & object }),
    ...given,
  };
  intend(working, node.id, [{ kind: PREPARE, request: request as unknown as Json, retry: PREPARE_RETRY }]);
}

function needsOf({ modelClass, model, toolAllowlist, handoffs, memoryShape }: Agent): Needs {
  return {
    modelClass,
    ...(model !== undefined && { model }),
    ...(toolAllowlist && { toolAllowlist }),
    ...(handoffs && { handoffs }),
    ...(memoryShape && { memoryShape }),
  };
}

const PREPARE_RETRY = { tries: 3, backoffMs: 500, maxBackoffMs: 5000 };

/** Earlier turns of a conversation. Anything else than texts of the two sides is left out. */
function historyOf(given: Json | undefined): { readonly history?: readonly ModelMessage[] } {
  if (!Array.isArray(given)) return {};
  const history = given.filter(isJsonObject).flatMap(({ role, content }): ModelMessage[] => {
    if ((role !== 'user' && role !== 'assistant') || typeof content !== 'string') return [];
    return [{ role, content }];
  });
  return history.length > 0 ? { history } : {};
}

/** Takes the prepared agent. If it cannot be invoked with this task, no model is asked. */
export function takePrepared(working: WorkingRun, node: PlanNode, prepared: Prepared): void {
  const invocation = invocationOf(working, node);
  if (invocation === undefined || prepared.problem) {
    openInvocation(working, node, agentIdOf(node));
    failNode(working, node, prepared.problem ?? runError('agent_not_found'), false);
    return;
  }
  open(invocation);
  const refusal = refuseTask(invocation) ?? deniedFor(invocation) ?? refuseCritics(invocation);
  if (refusal) {
    failNode(working, node, refusal, false);
    return;
  }
  tellPrompt(invocation);
  askFirst(invocation);
}

/** Begins another invocation of the prepared agent, after a critic has sent its result back. */
export function announce(invocation: Invocation): void {
  open(invocation);
  tellPrompt(invocation);
}

/** A misspelt name of a tool would let its results through unjudged. */
function refuseCritics(invocation: Invocation) {
  const { toolAllowlist = [] } = invocation.agent;
  const stranger = judgedTools(invocation).find(
    (tools) => !toolAllowlist.some((allowed) => haveToolInCommon(tools, allowed)),
  );
  return stranger === undefined
    ? undefined
    : runError('verifier_without_tool', undefined, { tools: stranger });
}

function open(invocation: Invocation): void {
  const { working, node, agent, ready } = invocation;
  const { memoryShape } = agent;
  openInvocation(working, node, agent.agentId, {
    modelClass: agent.modelClass,
    resolvedModel: ready.model,
    resolvedProvider: ready.provider,
    ...(ready.version !== undefined && { resolvedAgentVersion: ready.version }),
    toolSurfaceCount: surfaceOf(invocation).length,
    memoryBound: memoryShape !== undefined && Object.values(memoryShape).some(Boolean),
  });
  reserveForAgent(working, node.id, agent);
}

function refuseTask({ agent, asked: { task } }: Invocation) {
  const problem = agent.taskSchema && problemByAuthor(agent.taskSchema, task);
  if (!problem) return undefined;
  const field = problem.field === '' ? 'The task' : `The task's ${problem.field}`;
  return runError('handoff_task_schema_violation', `${field} ${problem.problem}.`, { field: problem.field });
}

/** Names the prompt. Its text is in no event of this kind. */
function tellPrompt({ working, node, agent }: Invocation): void {
  const { promptSource, promptLayer } = agent;
  const layers = ['agent-intrinsic', 'agent-overrides', 'agent-library-default'] as const;
  const chain = layers.map((layer) =>
    layer === promptLayer
      ? { layer, applied: true, source: promptSource }
      : { layer, applied: false, reason: 'no candidate at this layer' },
  );
  const payload = {
    nodeId: node.id,
    kind: 'system' as const,
    agentId: agent.agentId,
    chain,
    resolved: promptSource,
  };
  emit(working, 'agent.promptResolved', payload, node.id);
}
