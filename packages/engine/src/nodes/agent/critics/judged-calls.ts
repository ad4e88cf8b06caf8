import type { Json, ToolVerifier, Verdict } from '@baton/protocol';
import type { ToolOutcome } from '../../../ports/agent-effects.ts';
import type { Invocation } from '../invocation.ts';
import { type CallOfTool, type ModelTurn, resultOf } from '../rounds.ts';
import { toolVerifierOf } from './verifiers.ts';

/** Tool calls whose results a critic judges before the model is told. */

/** The first call of the turn whose result needs a verdict and has none. */
export function callToJudge(invocation: Invocation, { calls }: ModelTurn): JudgedCall | undefined {
  for (const call of calls) {
    const result = resultOf(call);
    const made = call.made[0];
    const verifier = made && toolVerifierOf(invocation, made.asked.tool);
    if (
      made === undefined ||
      verifier === undefined ||
      result?.status !== 'ok' ||
      verdictOn(call) !== undefined
    )
      continue;
    const { callId, tool, input } = made.asked;
    return { callId, verifier, outputs: { toolName: tool, input, result: result.output } };
  }
  return undefined;
}

export interface JudgedCall {
  /** The call as readers of the log know it. A repeated call keeps the id of the first one. */
  readonly callId: string;
  readonly verifier: ToolVerifier;
  readonly outputs: { readonly toolName: string; readonly input: Json; readonly result: Json };
}

function verdictOn({ made }: CallOfTool): Verdict | undefined {
  return made.find(({ verdict }) => verdict !== undefined)?.verdict;
}

/**
 * What the model is told in place of the result of the call. `undefined`: it is told the result. A tool that
 * reports a failure in its own words could bring in anything, so these words are withheld too.
 */
export function withheldResult(
  invocation: Invocation,
  call: CallOfTool,
  result: ToolOutcome | undefined,
): string | undefined {
  const tool = call.made[0]?.asked.tool;
  const verifier = tool === undefined ? undefined : toolVerifierOf(invocation, tool);
  if (verifier === undefined) return undefined;
  if (result?.status === 'error' && result.error.code === 'tool_failed') return 'The tool failed.';
  if (result?.status !== 'ok' || verdictOn(call) === 'pass') return undefined;
  return `The result of the tool was withheld, because a critic refused it${byCriteria(verifier)}.`;
}

export function byCriteria({ criteria = [] }: ToolVerifier): string {
  return criteria.length === 0 ? '' : ` (criteria: ${criteria.join(', ')})`;
}
