import { digest, eventId, isJsonObject, type Json, type JsonObject, problemByAuthor } from '@baton/protocol';
import { usingBudgets } from '../../kernel/budgets/tell-use.ts';
import { failNode, intend } from '../../kernel/execute.ts';
import { writeEntry } from '../../kernel/memory/changes.ts';
import { holdsScope } from '../../kernel/people/scopes.ts';
import { type EffectStep, effectSteps } from '../../kernel/run.ts';
import { emit, type WorkingRun } from '../../kernel/working-run.ts';
import { type AskedTool, REMEMBER, TOOL_CALL, type ToolOutcome } from '../../ports/agent-effects.ts';
import type { ToolCallPart } from '../../ports/said-parts.ts';
import type { ToolDescriptor } from '../../ports/tools.ts';
import { mostEqualCalls, refusedTools } from './budget.ts';
import { type Invocation, invocationId } from './invocation.ts';
import { type ModelTurn, turnsOf } from './rounds.ts';
import { surfaceOf } from './surface.ts';

/** Decides about each tool call of an answer: it is made, settled without being made, or a person is asked. */

/** More calls in one answer are not made. */
export const MOST_CALLS = 32;

/** A call of a tool that the agent may use, with valid arguments. */
export interface AllowedCall {
  readonly tool: ToolDescriptor;
  readonly asked: AskedTool;
}

type Judged =
  | { readonly kind: 'allowed'; readonly call: AllowedCall }
  /** The call is not made. */
  | {
      readonly kind: 'settled';
      readonly asked: AskedTool;
      readonly outcome: ToolOutcome;
      readonly tool?: ToolDescriptor;
    };

/** `before` are calls that are recorded before this one and are not recorded yet. */
export function judgeCall(
  invocation: Invocation,
  turn: ModelTurn,
  call: number,
  step: number,
  before: readonly AskedTool[] = [],
): Judged {
  const part = turn.calls[call]?.part as ToolCallPart;
  const tool = surfaceOf(invocation).find(({ name }) => name === part.name);
  const input = part.input ?? null;
  const asked: AskedTool = {
    of: turn.step,
    call,
    tool: tool?.id ?? part.name.slice(0, 256),
    name: part.name,
    input,
    callId: `${invocationId(invocation.working, invocation.node.id)}:${step}`,
    argsHash: digest(input),
  };
  if (tool === undefined) return { kind: 'settled', asked, outcome: refused('there is no such tool') };
  if (!isJsonObject(part.input)) {
    return { kind: 'settled', asked, tool, outcome: invalidInput('the arguments are not a JSON object') };
  }
  const problem = problemByAuthor(tool.parameters, part.input);
  if (problem) {
    const field = problem.field === '' ? 'the arguments' : problem.field;
    return { kind: 'settled', asked, tool, outcome: invalidInput(`${field} ${problem.problem}`) };
  }
  const missing = (tool.scopes ?? []).find((scope) => !holdsScope(invocation.working.run.scopes, scope));
  if (missing !== undefined) {
    return { kind: 'settled', asked, tool, outcome: refused(`the run does not have the scope "${missing}"`) };
  }
  if (equalCallsBefore(invocation, asked, before) >= mostEqualCalls(invocation)) {
    const outcome = invalidInput('the same call was made too often in a row; its result would be the same');
    return { kind: 'settled', asked, tool, outcome };
  }
  return { kind: 'allowed', call: { tool, asked } };
}

function refused(reason: string): ToolOutcome {
  return { status: 'forbidden', reason };
}

function invalidInput(message: string): ToolOutcome {
  return { status: 'error', error: { code: 'invalid_arguments', message } };
}

/** How many of the calls before this one were calls of the same tool with the same arguments. */
function equalCallsBefore(
  { steps }: Invocation,
  { tool, argsHash, of, call }: AskedTool,
  before: readonly AskedTool[],
): number {
  const made = turnsOf(steps).flatMap(({ calls }) => calls.flatMap(({ made: all }) => all));
  let equal = 0;
  for (const asked of [...made.map((one) => one.asked), ...before].reverse()) {
    // An earlier try of this call, whose outcome was lost, is no call before it.
    if (asked.of === of && asked.call === call) continue;
    if (asked.tool !== tool || asked.argsHash !== argsHash) break;
    equal += 1;
  }
  return equal;
}

/**
 * How many calls are made together with this one: the calls of the same answer that need no person and are not
 * recorded yet. A call that is repeated was counted before.
 */
function callsAtOnce(invocation: Invocation, asked: AskedTool): number {
  if (asked.key !== undefined) return 0;
  const turn = turnsOf(invocation.steps).find(({ step }) => step === asked.of);
  const recorded: AskedTool[] = [asked];
  let calls = 1;
  for (let at = asked.call + 1; turn !== undefined && at < Math.min(turn.calls.length, MOST_CALLS); at += 1) {
    if (turn.calls[at]?.made.length !== 0) continue;
    const judged = judgeCall(invocation, turn, at, 0, recorded);
    if (judged.kind === 'settled') recorded.push(judged.asked);
    else if (judged.call.tool.approval === undefined) {
      recorded.push(judged.call.asked);
      calls += 1;
    }
  }
  return calls;
}

/** Intends the call. It is performed after this is stored. */
export function makeCall(invocation: Invocation, { tool, asked }: AllowedCall): void {
  const { working, node } = invocation;
  const error = refusedTools(invocation, callsAtOnce(invocation, asked));
  if (error) {
    failNode(working, node, error, false);
    return;
  }
  // A call that is repeated with the key of the first call was told before.
  const told = asked.key === undefined ? tellCalled(invocation, tool, asked) : asked;
  const request = { ...told, principal: working.run.principal, repeatable: tool.repeatable };
  if (tool.id === REMEMBER) {
    remember(working, node.id, asked.input as JsonObject);
    settleWithout(invocation, told, { status: 'ok', output: 'remembered' });
    tellReturned(invocation, told, { status: 'ok', output: 'remembered' });
    return;
  }
  intend(working, node.id, [{ kind: TOOL_CALL, request: request as unknown as Json }]);
}

/** Tells readers of the log of a call. Its return then names this event as its cause. */
function tellCalled(
  { working, node, agent }: Invocation,
  tool: ToolDescriptor,
  asked: AskedTool,
  unmade: { readonly made?: false } = {},
): AskedTool {
  const { callId, argsHash } = asked;
  const { principal, head: calledAt } = working.run;
  const payload = { agentId: agent.agentId, toolName: tool.id, callId, argsHash, principal };
  usingBudgets(working, node.id, agent, () => {
    emit(working, 'agent.toolCalled', { ...payload, transport: tool.transport, ...unmade }, node.id);
  });
  return { ...asked, calledAt };
}

/** A call that is not made, or not made again, with the tool if the agent has such a tool. */
interface UnmadeCall {
  readonly asked: AskedTool;
  readonly outcome: ToolOutcome;
  readonly tool?: ToolDescriptor | undefined;
  /** The first call, if the call was made before and its outcome was lost. */
  readonly first?: AskedTool | undefined;
}

/** Readers of the log are told once of each call of a tool of the agent, and once of its outcome. */
export function settleUnmade(invocation: Invocation, { asked, outcome, tool, first }: UnmadeCall): void {
  const told = first ?? (tool && tellCalled(invocation, tool, asked, { made: false }));
  settleWithout(invocation, first === undefined && told ? told : asked, outcome);
  if (told) tellReturned(invocation, told, outcome);
}

/** Records a call together with its outcome, for calls that are not performed. */
export function settleWithout(invocation: Invocation, asked: AskedTool, outcome: ToolOutcome): void {
  const { working, node } = invocation;
  const step = (effectSteps(working.run, node.id).at(-1)?.step ?? 0) + 1;
  const effect = { kind: TOOL_CALL, request: asked as unknown as Json };
  emit(working, 'baton.effect.intended', { nodeId: node.id, step, effect }, node.id);
  const outputs = outcome as unknown as JsonObject;
  emit(working, 'baton.effect.settled', { nodeId: node.id, step, outputs }, node.id);
}

/** A call that was refused before it was made has no duration. */
export function tellReturned(
  { working, node, agent }: Invocation,
  asked: AskedTool,
  outcome: ToolOutcome,
): void {
  const { status, durationMs } = outcome;
  if (status === 'unknown') return;
  const payload = {
    agentId: agent.agentId,
    toolName: asked.tool,
    callId: asked.callId,
    status,
    ...(outcome.status === 'error' && { error: outcome.error }),
    ...(durationMs !== undefined && { durationMs }),
  };
  const cause = asked.calledAt === undefined ? undefined : eventId(working.run.runId, asked.calledAt);
  emit(working, 'agent.toolReturned', payload, node.id, cause);
}

/** Another attempt of the node would make its calls again. A tool that may not be repeated forbids that. */
export function canRepeatCalls(steps: readonly EffectStep[]): boolean {
  return !steps.some(({ effect: { kind, request }, outputs }) => {
    if (kind !== TOOL_CALL || !isJsonObject(request)) return false;
    // Only a call that was really made has recorded whether it may be repeated.
    const mayNotRepeat = request.repeatable !== undefined && request.repeatable !== 'yes';
    return mayNotRepeat && outputs?.status !== 'rate_limited' && outputs?.status !== 'forbidden';
  });
}

/** The longest text that an agent can remember at once. */
const LONGEST = 4000;

/** Writes what an agent wants to remember into the memory of its run. Secrets are removed on the way. */
function remember(working: WorkingRun, nodeId: string, input: JsonObject): void {
  const { text, key } = input;
  const content = String(text ?? '').slice(0, LONGEST);
  writeEntry(working, nodeId, {
    // The same note twice is one entry.
    id: typeof key === 'string' && key !== '' ? key.slice(0, 256) : `note-${digest(content).slice(0, 16)}`,
    content,
    tags: ['agent'],
  });
}
