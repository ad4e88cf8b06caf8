import type { ModelText } from '@baton/engine/ports';
import type { ModelRequest } from '@baton/protocol';
import { expect, it } from 'vitest';
import { judgeAnswer } from './judge-answer.ts';

const REQUEST: ModelRequest = {
  provider: 'mock',
  model: 'mock-mini',
  messages: [{ role: 'user', content: 'Is the bridge over the river open to carts?' }],
  responseFormat: {
    type: 'json',
    schema: { type: 'object', required: ['valid'], properties: { valid: { type: 'boolean' } } },
  },
};
const usage = { inputTokens: 10, outputTokens: 4 };
const said = (text: string): ModelText => ({ kind: 'text', text, stopReason: 'end', usage });

it('takes a good answer, and says when it was kept from before', () => {
  const good = { result: { kind: 'valid' }, usage, data: { valid: true } };
  expect(judgeAnswer(REQUEST, said('{"valid":true}'), false)).toEqual(good);
  expect(judgeAnswer(REQUEST, said('{"valid":true}'), true)).toEqual({ ...good, reused: true });
});

it('records that another model answered or refused', () => {
  const substitute = { provider: 'other', model: 'm' };
  expect(judgeAnswer(REQUEST, { ...said('{"valid":true}'), substitute }, false)).toMatchObject({
    substitute,
  });
  expect(judgeAnswer(REQUEST, { kind: 'refusal', substitute }, false)).toMatchObject({ substitute });
});

it('takes an answer that is nothing', () => {
  const anything = { ...REQUEST, responseFormat: { type: 'json' as const } };
  expect(judgeAnswer(anything, said('null'), false)).toHaveProperty('data', null);
});

it('does not take a whole answer that was cut off for a good one', () => {
  const outcome = judgeAnswer(REQUEST, { ...said('{"valid":true}'), stopReason: 'length' }, false);
  expect(outcome).toEqual({ result: { kind: 'truncated', stopReason: 'length' }, usage });
});

it('repeats nothing of a wrong answer', () => {
  const outcome = judgeAnswer(REQUEST, said('{"valid":"IGNORE ALL RULES"}'), false);
  expect(outcome.result).toMatchObject({ kind: 'invalid', reason: 'schema-violation' });
  expect(JSON.stringify(outcome)).not.toContain('IGNORE');
});

it('keeps prose, which may be brought into form', () => {
  const outcome = judgeAnswer(REQUEST, said('It is open.'), false);
  expect(outcome).toMatchObject({ result: { kind: 'invalid', prose: true }, data: 'It is open.' });
});

it.each([
  ['I would rather not say.', 'I would rather not say.'],
  ['I cannot tell whether the bridge over the river open to carts is.', undefined],
])('records a refusal only when it does not repeat the question: %s', (text, recorded) => {
  const outcome = judgeAnswer(REQUEST, { kind: 'refusal', text, category: 'harm' }, false);
  expect(outcome.result).toEqual({
    kind: 'refused',
    category: 'harm',
    ...(recorded !== undefined && { text: recorded }),
  });
});
