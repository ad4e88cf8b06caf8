import { type Agent, isJsonObject, type JsonObject } from '@baton/protocol';
import type { Answer } from '../../kernel/model.ts';
import { ask } from '../../kernel/people/asking.ts';
import { LOST_CALL, TOOL_APPROVAL } from '../../kernel/people/tool-questions.ts';
import type { Invocation } from './invocation.ts';
import type { AllowedCall } from './tool-calls.ts';

/** Asks a person about one tool call. The question names the exact arguments and their digest. */

export function askForApproval({ working, node, agent }: Invocation, { tool, asked }: AllowedCall): void {
  ask(
    working,
    node.id,
    (key) => ({
      kind: 'approval',
      key,
      data: {
        artifactId: key,
        artifactType: TOOL_APPROVAL,
        title: `${agent.persona} wants to call ${tool.id}`,
        artifactData: artifactOf({ tool, asked }),
        actions: ['accept', 'reject'],
      },
      ...answerTime(agent),
    }),
    `call-${asked.of}-${asked.call}`,
  );
}

/** The host stopped during the call, and the tool may not be repeated without asking. */
export function askAboutLostCall({ working, node, agent }: Invocation, call: AllowedCall): void {
  const { tool, asked } = call;
  ask(
    working,
    node.id,
    (key) => ({
      kind: 'approval',
      key,
      data: {
        artifactId: key,
        artifactType: LOST_CALL,
        title: `The host stopped while ${tool.id} was called, so the call may have happened`,
        description:
          'Accept to call the tool again with the same key. Edit to record the result that the call had. ' +
          'Reject to tell the agent that the call failed.',
        artifactData: artifactOf(call),
        actions: ['accept', 'edit-accept', 'reject'],
      },
      ...answerTime(agent),
    }),
    `lost-${asked.of}-${asked.call}`,
  );
}

/** How long the question can be answered. Without a limit in the manifest, it waits for as long as it takes. */
export function answerTime({ approvalTimeoutMs }: Agent): { readonly timeoutMs?: number } {
  return approvalTimeoutMs === undefined ? {} : { timeoutMs: approvalTimeoutMs };
}

function artifactOf({ tool, asked }: AllowedCall): JsonObject {
  const { of, call, input, argsHash } = asked;
  return { toolName: tool.id, input, argsHash, of, call };
}

/** What a person decided about a tool call. */
type ToolDecision =
  | { readonly kind: 'call' }
  | { readonly kind: 'record'; readonly result: JsonObject[string] }
  | { readonly kind: 'decline'; readonly reason: string };

export interface AnsweredCall {
  readonly of: number;
  readonly call: number;
  readonly argsHash: string;
  readonly decision: ToolDecision;
}

/** `undefined` when the question was not about a tool call. */
export function answeredCall(answer: Answer): AnsweredCall | undefined {
  const { request } = answer;
  if (request.kind !== 'approval') return undefined;
  const { artifactType, artifactData } = request.data;
  if (artifactType !== TOOL_APPROVAL && artifactType !== LOST_CALL) return undefined;
  if (!isJsonObject(artifactData)) return undefined;
  const { of, call, argsHash } = artifactData;
  return {
    of: Number(of),
    call: Number(call),
    argsHash: String(argsHash),
    decision: decisionOf(answer),
  };
}

function decisionOf(answer: Answer): ToolDecision {
  if (answer.outcome === 'timeout') return { kind: 'decline', reason: 'it was not approved in time' };
  const { action, editedArtifactData, feedback, comment, reason } = answer.value;
  if (answer.outcome === 'rejected') {
    const why = [feedback, comment, reason].find((text) => typeof text === 'string' && text !== '');
    return { kind: 'decline', reason: `a person declined it${why === undefined ? '' : `: ${String(why)}`}` };
  }
  if (action === 'edit-accept') return { kind: 'record', result: editedArtifactData ?? null };
  return { kind: 'call' };
}
