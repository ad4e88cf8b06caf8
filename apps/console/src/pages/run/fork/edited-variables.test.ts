import { BatonError } from '@baton/client';
import { describe, expect, it } from 'vitest';
import { editableVariables, editedConfiguration, editsOf, indexIn } from './edited-variables.ts';
import { betterForkIn } from './refusal.ts';

const DECLARED = [
  { name: 'topic', type: 'string', description: 'What to write about' },
  { name: 'limit', type: 'number' },
] as const;

describe('the variables of a branch', () => {
  const variables = editableVariables({ topic: 'owls', list: [1], on: true }, DECLARED as never);

  it('are those of the moment and those that the workflow declares', () => {
    expect(variables.map(({ name, kind, text }) => [name, kind, text])).toEqual([
      ['topic', 'text', 'owls'],
      ['limit', 'number', ''],
      ['list', 'json', '[\n  1\n]'],
      ['on', 'boolean', 'true'],
    ]);
  });

  it('are sent only where they were changed', () => {
    const texts = { topic: 'owls', list: '[ 1 ]', on: 'false', limit: '7' };
    expect(editsOf(variables, texts)).toEqual({ changed: { on: false, limit: 7 }, problems: {} });
  });

  it('may be changed to an empty text, and to another type as JSON', () => {
    expect(editsOf(variables, { topic: '', list: '{"a":null}' }).changed).toEqual({
      topic: '',
      list: { a: null },
    });
  });

  it('are refused where they are no numbers or no JSON', () => {
    const { changed, problems } = editsOf(variables, { limit: 'many', list: '[1' });
    expect(changed).toEqual({});
    expect(Object.keys(problems)).toEqual(['limit', 'list']);
  });
});

describe('the configuration of a branch', () => {
  it('must be an object, and counts only when it is another one', () => {
    expect(editedConfiguration({ a: 1 }, '{ "a": 1 }')).toBeUndefined();
    expect(editedConfiguration({ a: 1 }, '{ "a": 2 }')).toEqual({ kind: 'value', value: { a: 2 } });
    expect(editedConfiguration({}, '[1]')?.kind).toBe('problem');
    expect(editedConfiguration({}, '{')?.kind).toBe('problem');
  });
});

describe('the index of a fork', () => {
  it('is a whole number up to the end of the log', () => {
    expect([indexIn('0', 4), indexIn(' 5 ', 4)]).toEqual([0, 5]);
    for (const text of ['', ' ', '6', '-1', '1.5', 'x']) expect(indexIn(text, 4)).toBeUndefined();
  });
});

describe('the refusal of a fork', () => {
  it('names the run and the index that the host names', () => {
    const refusal = new BatonError('forbidden', 'no', { details: { runId: 'parent', earliestApproval: 4 } });
    expect(betterForkIn(refusal, 'own')).toEqual({ runId: 'parent', at: 4 });
  });

  it('takes the index of the own run where no run is named', () => {
    const ended = new BatonError('fork_point_not_found', 'no', { details: { newestFromSeq: 0 } });
    expect(betterForkIn(ended, 'own')).toEqual({ runId: 'own', at: 0 });
  });

  it('names nothing where the host names nothing', () => {
    expect(
      betterForkIn(new BatonError('forbidden', 'no', { details: { earliestApproval: 'x' } }), 'own'),
    ).toBe(undefined);
    expect(betterForkIn(new Error('offline'), 'own')).toBe(undefined);
  });
});
