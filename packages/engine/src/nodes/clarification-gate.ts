import { type ClarificationData, MAX_WAIT_MS, Question, runError } from '@baton/protocol';
import Type from 'typebox';
import type { Answer, Finish, NodeType } from '../kernel/model.ts';

/** Asks questions; the answers are its outputs. */
export const clarificationGate: NodeType = {
  typeId: 'core.clarificationGate',
  config: Type.Object(
    {
      questions: Type.Array(Question, { minItems: 1, maxItems: 100 }),
      contextType: Type.Optional(Type.String()),
      timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_WAIT_MS })),
    },
    { additionalProperties: false },
  ),
  start: ({ config: { timeoutMs, ...data } }) => ({
    do: 'ask',
    request: (key) => ({
      kind: 'clarification',
      key,
      data: data as ClarificationData,
      ...(typeof timeoutMs === 'number' && { timeoutMs }),
    }),
  }),
  answered: (_node, answer) => concludeWithValue(answer),
};

export function concludeWithValue(answer: Answer): Finish {
  return answer.outcome === 'timeout'
    ? { do: 'fail', error: runError('interrupt_timeout'), retryable: false }
    : { do: 'complete', outputs: answer.value };
}
