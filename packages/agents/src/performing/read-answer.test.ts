import { describe, expect, it } from 'vitest';
import { MAX_ANSWER_CHARACTERS, readAnswer } from './judge-answer.ts';

const SCHEMA = {
  type: 'object',
  required: ['valid'],
  properties: { valid: { type: 'boolean' }, steps: { type: 'array', items: { type: 'string' } } },
  additionalProperties: false,
};

describe('readAnswer', () => {
  it.each([
    ['{"valid":true}', false],
    [' {"valid":true}\n', false],
    ['```json\n{"valid":true}\n```', true],
    ['\n```\n{"valid":true}```\n', true],
    ['```JSON\n{"valid":true}\n```', true],
  ])('takes %j', (text, unfenced) => {
    expect(readAnswer(text, SCHEMA)).toEqual({ kind: 'valid', value: { valid: true }, unfenced });
  });

  it.each([
    'valid: true',
    '',
    '```',
    '```python\n{"valid":true}\n```',
    'Here it is:\n```json\n{"valid":true}\n```',
    '{"valid":true} and that is all',
    "{'valid': true}",
    '{"valid":true,}',
    '{"__proto__":{"valid":true},"valid":true}',
    `${'['.repeat(100)}${']'.repeat(100)}`,
  ])('does not guess what %j may mean', (text) => {
    expect(readAnswer(text, SCHEMA)).toMatchObject({ kind: 'invalid', reason: 'parse-error' });
  });

  it.each([
    ['{}', 'valid is required'],
    ['{"valid":1}', 'valid must be a boolean'],
    ['{"valid":true,"steps":[3]}', 'steps.0 must be a string'],
    ['[]', 'the answer must be an object'],
    ['{"valid":true,"sk-secret":1}', 'a field that the schema does not name is not a known field'],
  ])('says what is wrong with %j without repeating it', (text, problem) => {
    const read = readAnswer(text, SCHEMA);
    expect(read).toMatchObject({ kind: 'invalid', reason: 'schema-violation', problem });
    expect(JSON.stringify(read)).not.toContain('sk-secret');
  });

  it('does not look at an answer that no event could hold', () => {
    expect(readAnswer(`"${'x'.repeat(MAX_ANSWER_CHARACTERS)}"`, {})).toMatchObject({
      kind: 'invalid',
      problem: expect.stringContaining('longer than'),
      prose: false,
    });
  });

  it.each([
    ['The answer is yes.', true],
    ['', false],
    ['The answer is {"valid": maybe}', false],
  ])('knows prose when it sees it: %j', (text, prose) => {
    expect(readAnswer(text, SCHEMA)).toMatchObject({ prose });
  });

  it('takes the fence off before it finds fault with what is inside', () => {
    expect(readAnswer('```json\n{}\n```', SCHEMA)).toMatchObject({
      reason: 'schema-violation',
      unfenced: true,
    });
  });

  it('does not slow down on an answer made to be slow', () => {
    expect(readAnswer(`\`\`\`\n${'\n'.repeat(200_000)}x`, SCHEMA).kind).toBe('invalid');
  });
});
