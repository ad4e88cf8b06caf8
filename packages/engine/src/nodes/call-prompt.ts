import { type Json, ModelMessages, ModelRequest, problemWith, runError } from '@baton/protocol';
import Type from 'typebox';
import { completeNode, failNode } from '../kernel/execute.ts';
import type { PlanNode } from '../kernel/graph/plan.ts';
import type { NodeType, NodeView, SettledEffect } from '../kernel/model.ts';
import type { WorkingRun } from '../kernel/working-run.ts';
import { ModelOutcome } from '../ports/model-outcome.ts';
import { textIn } from './agent/rounds.ts';
import { askModel, startByAsking, tellCost, tellRefusal, tellSpent, tellTruncation } from './model-answer.ts';
import { withMoreRoom } from './model-corrections.ts';
import { USUAL_ATTEMPTS } from './structured-output.ts';

const Asked = ModelRequest.properties;

const Config = Type.Object(
  {
    provider: Asked.provider,
    model: Asked.model,
    /** What the model is told before the messages. */
    systemPrompt: Type.Optional(Type.String({ minLength: 1, maxLength: 65_536 })),
    maxTokens: Asked.maxOutputTokens,
    temperature: Asked.temperature,
    topP: Asked.topP,
    topK: Asked.topK,
    seed: Asked.seed,
    stop: Asked.stop,
    providerOptions: Asked.providerOptions,
  },
  { additionalProperties: false },
);
type CallPromptConfig = Type.Static<typeof Config>;

/** Asks a model for text. The text is the output `text`; readers of the run see its parts as they arrive. */
export const callPrompt: NodeType = {
  typeId: 'core.ai.callPrompt',
  config: Config,
  start: (view) => {
    const messages = messagesOf(view);
    const problem = problemWith(ModelMessages, messages);
    if (problem) {
      const message = `Node "${view.node.id}" needs the input "prompt" (text) or "messages": ${problem.field} ${problem.problem}`;
      return { do: 'fail', error: runError('input_invalid', message), retryable: false };
    }
    const { systemPrompt, maxTokens, ...sampling } = view.config as unknown as CallPromptConfig;
    const { model } = view.run.configurable;
    const system = systemPrompt === undefined ? [] : [{ role: 'system' as const, content: systemPrompt }];
    const request: ModelRequest = {
      ...sampling,
      ...(typeof model === 'string' && { model }),
      messages: [...system, ...(messages as unknown as ModelRequest['messages'])],
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    };
    return startByAsking(request);
  },
  spent: tellSpent,
  outcome: (settled) => ({
    do: 'act',
    act: (working, nodeId) => {
      const node = working.plan.nodes.get(nodeId);
      if (node) takeText(working, node, settled);
    },
  }),
};

function messagesOf({ inputs }: NodeView): Json {
  const { prompt, messages } = inputs;
  return typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : (messages ?? null);
}

function takeText(working: WorkingRun, node: PlanNode, { step, steps, outputs }: SettledEffect): void {
  const outcome = outputs as unknown as ModelOutcome;
  if (problemWith(ModelOutcome, outputs)) {
    failNode(working, node, runError('provider_error', 'What came of the call cannot be read.'), false);
    return;
  }
  const request = step.effect.request as unknown as ModelRequest;
  const answered = { working, node, request, outcome };
  tellCost(answered);
  const { result } = outcome;
  switch (result.kind) {
    case 'said':
      completeNode(working, node.id, { text: textIn(outcome) });
      return;
    case 'refused':
      tellRefusal(answered, result);
      // A refusal is never retried: other words might get around it.
      failNode(working, node, runError('envelope_refusal'), false);
      return;
    case 'truncated': {
      tellTruncation(answered, result);
      const again =
        steps.length < USUAL_ATTEMPTS ? withMoreRoom(request, outcome.usage?.outputTokens ?? 0) : undefined;
      if (again) askModel(working, node, again);
      else failNode(working, node, runError('envelope_truncation_unrecoverable'), false);
      return;
    }
    case 'valid':
    case 'invalid':
      failNode(working, node, runError('envelope_invalid', 'The answer cannot be used as text.'), false);
  }
}
