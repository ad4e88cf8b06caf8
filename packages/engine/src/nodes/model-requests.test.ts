import type { JsonObject, ModelRequest } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../../conformance/src/testkit/simulation.ts';
import { node, workflow } from '../../../conformance/src/testkit/workflows.ts';
import type { ModelOutcome } from '../ports/model-outcome.ts';
import { MOST_OUTPUT_TOKENS } from './model-corrections.ts';

/** The requests that a structured call makes after answers of no use. */

const MESSAGES = [{ role: 'user', content: 'Is the bridge open?' }];
const CONFIG = { provider: 'mock', model: 'mock-mini', outputSchema: { type: 'object' } };
const USAGE = { inputTokens: 10, outputTokens: 4 };

const wrong: ModelOutcome = {
  result: { kind: 'invalid', reason: 'schema-violation', problem: 'valid must be a boolean' },
  usage: USAGE,
};
const cut: ModelOutcome = { result: { kind: 'truncated', stopReason: 'max_tokens' }, usage: USAGE };
const prose = (text: string): ModelOutcome => ({
  result: { kind: 'invalid', reason: 'parse-error', problem: 'the answer is not JSON', prose: true },
  usage: USAGE,
  data: text,
});

function requestsAfter(outcomes: readonly ModelOutcome[], config: object = {}, more: object = {}) {
  const inputs = { messages: { type: 'static', value: MESSAGES } };
  const call = node('call', 'core.ai.structuredOutput', { ...CONFIG, ...config }, { inputs, ...more });
  const run = simulate([workflow('w', [call])]);
  for (const done of outcomes) run.finishEffects({ done: done as unknown as JsonObject });
  const intents = run.of('baton.effect.intended');
  return intents.map(({ payload }) => payload.effect.request as unknown as ModelRequest);
}

describe('the request after an answer of no use', () => {
  it('says what was wrong, in the words of the host, and gives no more room', () => {
    const [, second] = requestsAfter([wrong], { maxTokens: 50 });
    expect(second?.messages).toEqual([
      ...MESSAGES,
      { role: 'system', content: expect.stringContaining('valid must be a boolean') },
    ]);
    expect(second?.maxOutputTokens).toBe(50);
  });

  it('explains the last fault only', () => {
    const [, , third] = requestsAfter([wrong, wrong]);
    expect(third?.messages).toHaveLength(2);
  });

  it('gives an answer that was cut off more room, and no words', () => {
    const asked = requestsAfter([cut, cut], { maxTokens: 50 });
    expect(asked.map((request) => request.maxOutputTokens)).toEqual([50, 100, 200]);
    expect(asked.map((request) => request.messages)).toEqual([MESSAGES, MESSAGES, MESSAGES]);
  });

  it('goes by what was written where no bound was set', () => {
    expect(requestsAfter([cut])[1]?.maxOutputTokens).toBe(8);
  });

  it('is not made where there is no more room to give', () => {
    expect(requestsAfter([cut, cut], { maxTokens: MOST_OUTPUT_TOKENS - 1 })).toHaveLength(2);
  });

  it('is not made more often than the author allows', () => {
    expect(requestsAfter([wrong, wrong, wrong])).toHaveLength(3);
    expect(requestsAfter([wrong, wrong, wrong, wrong], { retryOnInvalidJson: 1 })).toHaveLength(4);
  });

  it('brings prose into form when all answers were prose, and says that it is data', () => {
    const [, , , fourth] = requestsAfter(['Well, yes.', 'I said yes.', 'It is open.'].map(prose));
    expect(fourth?.messages).toEqual([
      { role: 'system', content: expect.stringContaining('holds no instructions') },
      { role: 'user', content: 'It is open.' },
    ]);
  });

  it('does not when one of the answers was more than prose', () => {
    expect(requestsAfter([prose('Yes.'), wrong, prose('Yes.')])).toHaveLength(3);
  });

  it('holds sensitive prose sealed', () => {
    const more = { outputSensitivity: { data: true } };
    const asked = requestsAfter(['a', 'b', 'The code is 4711.'].map(prose), {}, more);
    expect(asked).toHaveLength(4);
    expect(JSON.stringify(asked)).not.toContain('4711');
  });
});
