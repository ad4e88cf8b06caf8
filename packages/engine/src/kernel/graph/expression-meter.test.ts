import {
  type EdgeCondition,
  type Json,
  type JsonObject,
  TooMuchWorkError,
  ValueTooLargeError,
} from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { compileCondition } from './condition.ts';
import { compileExpression } from './expression.ts';
import { stepMeter } from './step-meter.ts';

const STEPS = 500_000;

/** A generous limit, because the tests measure how the steps grow. */
const GENEROUS = 1_000_000_000;

const scope = (variables: JsonObject) => ({ variables, inputs: {}, nodes: {} });
const evaluate = (text: string, variables: JsonObject, expressionSteps = STEPS) =>
  compileExpression(text)(scope(variables), stepMeter({ expressionSteps }));

function steps(text: string, variables: JsonObject): number {
  const meter = stepMeter({ expressionSteps: GENEROUS });
  compileExpression(text)(scope(variables), meter);
  return meter.limit - meter.left;
}

const list = (length: number) => Array.from({ length }, (_, n) => n);
const map = (length: number): JsonObject => Object.fromEntries(list(length).map((n) => [`k${n}`, n]));

describe('an expression costs', () => {
  it.each<[string, string, (size: number) => JsonObject]>([
    ['what a comparison of maps visits', 'variables.a == variables.b', (n) => ({ a: map(n), b: map(n) })],
    ['what an inequality visits', 'variables.a != variables.b', (n) => ({ a: map(n), b: map(n) })],
    ['nested values', 'variables.a == variables.b', (n) => ({ a: [[map(n)]], b: [[map(n)]] })],
    [
      'long equal texts',
      'variables.a == variables.b',
      (n) => ({ a: 'x'.repeat(n * 16), b: 'x'.repeat(n * 16) }),
    ],
    ['what a search in a list visits', '-1 in variables.a', (n) => ({ a: list(n) })],
    ['what two lists hold together', '(variables.a + variables.a).size()', (n) => ({ a: list(n * 4) })],
    [
      'what two texts hold together',
      '(variables.a + variables.a).startsWith("y")',
      (n) => ({ a: 'x'.repeat(n * 16) }),
    ],
    ['the keys of a map that is looped over', 'variables.a.exists(k, k == "")', (n) => ({ a: map(n) })],
    ['the keys of a map that is counted', 'variables.a.size()', (n) => ({ a: map(n) })],
    ['the text that is searched', 'variables.a.contains("y")', (n) => ({ a: 'x'.repeat(n * 8) })],
    [
      'the text that is searched backwards',
      'variables.a.lastIndexOf("y")',
      (n) => ({ a: 'x'.repeat(n * 8) }),
    ],
    ['the pieces of a text', 'variables.a.split("").size()', (n) => ({ a: 'x'.repeat(n) })],
    [
      'what is joined',
      'variables.a.join(variables.b).size()',
      (n) => ({ a: list(50).map(String), b: 'x'.repeat(n) }),
    ],
    ['the text that is turned to bytes', 'bytes(variables.a).size()', (n) => ({ a: 'x'.repeat(n * 8) })],
    ['the result as JSON', 'variables.a', (n) => ({ a: map(n) })],
    ['the text in a result', '[variables.a]', (n) => ({ a: 'x'.repeat(n * 16) })],
  ])('%s', (_what, text, variables) => {
    const [small, large] = [steps(text, variables(1000)), steps(text, variables(10_000))];
    expect(large).toBeGreaterThan(5000);
    expect(large).toBeGreaterThan(small * 5);
  });

  it('nothing more for coming across a long text or list', () => {
    expect(steps('variables.a.b == 1', { a: { b: 1, text: 'x'.repeat(100_000) } })).toBeLessThan(20);
    expect(steps('variables.list[3] == variables.list[4]', { list: list(100_000) })).toBeLessThan(20);
  });

  it('no more than its parts when it fails at the first difference', () => {
    expect(steps('variables.a == variables.b', { a: list(10_000), b: [-1, ...list(9999)] })).toBeLessThan(20);
  });

  it('more for errors that a quantifier passes over', () => {
    const failing = 'variables.a.exists(x, x.nothing > 5) || true';
    expect(steps(failing, { a: list(1000).fill(0) })).toBeGreaterThan(200_000);
  });

  it('more for the parts of a date in a time zone', () => {
    const text = 'variables.a.exists(x, timestamp("2026-01-01T00:00:00Z").getHours("Europe/Berlin") == x)';
    expect(steps(text, { a: list(100).fill(-1) })).toBeGreaterThan(100_000);
  });
});

describe('an expression that takes too long', () => {
  it.each<[string, string, JsonObject]>([
    [
      'comparing large maps over and over',
      'variables.l.exists(x, variables.a != variables.b)',
      { l: list(8000), a: map(8000), b: map(8000) },
    ],
    [
      'one map in sixty thousand places',
      `variables.l.map(i, [${Array(200).fill('variables.a').join()}])`,
      { l: list(300), a: map(25_000) },
    ],
    ['a loop in a loop', 'variables.l.map(x, variables.l.filter(y, y > x)).size()', { l: list(5000) }],
    [
      'a separator that is long',
      'variables.l.map(i, "").join(variables.s)',
      { l: list(10_000), s: 'x'.repeat(100_000) },
    ],
    ['a long duration', 'duration(variables.s)', { s: '1'.repeat(100_000) }],
    [
      'texts that double',
      'cel.bind(a, variables.s + variables.s, cel.bind(b, a + a, cel.bind(c, b + b, c + c))).size()',
      { s: 'x'.repeat(1_000_000) },
    ],
  ])('is ended: %s', (_what, text, variables) => {
    expect(() => evaluate(text, variables)).toThrow(TooMuchWorkError);
  });

  it('is ended before it makes more than an event can hold', () => {
    const variables = { l: list(20_000), s: 'x'.repeat(1000) };
    expect(() => evaluate('variables.l.map(i, variables.s)', variables)).toThrow(ValueTooLargeError);
  });
});

describe('a condition', () => {
  const judge = (condition: JsonObject, variables: JsonObject) =>
    compileCondition(condition as EdgeCondition)(scope(variables), stepMeter({ expressionSteps: STEPS }));
  const large = map(100_000);

  it.each<[string, Json, JsonObject]>([
    ['equals', large, { x: { ...large } }],
    ['notEquals', large, { x: { ...large } }],
    ['contains', large, { x: list(100).map(() => map(20_000)) }],
    ['regex', '(a|b){1,300}c', { x: 'ab'.repeat(40_000) }],
  ])('of type %s that takes too long fails, and does not count as untrue', (type, right, variables) => {
    expect(() => judge({ type, left: 'variables.x', right }, variables)).toThrow(TooMuchWorkError);
  });

  it('still equals nothing where its variable is missing', () => {
    expect(judge({ type: 'equals', left: 'variables.missing', right: 1 }, {})).toBe(false);
  });

  it('finds a long text in a longer one that almost matches everywhere', () => {
    const x = 'a'.repeat(440_000);
    expect(judge({ type: 'contains', left: 'variables.x', right: `${'a'.repeat(220_000)}b` }, { x })).toBe(
      false,
    );
    expect(judge({ type: 'contains', left: 'variables.x', right: 'a'.repeat(220_000) }, { x })).toBe(true);
  });
});
