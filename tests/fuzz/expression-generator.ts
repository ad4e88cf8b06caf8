import type { Dice } from './random-choice.ts';

/** Expressions and conditions: most of them work, some throw, some see what is sealed. */

const NUMBERS = [
  'variables.a',
  'variables.a + 1',
  'variables.a * 1.5',
  '7',
  'size(variables.b)',
  'size(inputs)',
];
const BROKEN = ['1/0', 'variables.missing', 'variables.b + 1'];
const TEXTS = [
  'variables.b',
  '"x" + variables.b',
  '"it is " + string(variables.a)',
  'variables.s',
  '"s:" + variables.s',
];
const OTHERS = [
  '{"k": variables.a, "l": [1, 2, variables.b]}',
  '[1, 2, 3].map(i, i * 2)',
  'variables.a > 2 ? "high" : "low"',
  'variables.b == "x"',
  'nodes.exists(n, n == "n0")',
  'inputs',
  'null',
];

function expression(dice: Dice): string {
  return dice.pick(dice.chance(0.04) ? BROKEN : dice.pick([NUMBERS, TEXTS, OTHERS]));
}

export function assignments(dice: Dice): Record<string, string> {
  const assign: Record<string, string> = {};
  for (let left = dice.between(1, 3); left > 0; left -= 1) {
    const name = dice.pick(['a', 'b', 'c', 's', 'made']);
    assign[name] =
      name === 'a' ? dice.pick(NUMBERS) : name === 'b' || name === 's' ? dice.pick(TEXTS) : expression(dice);
  }
  return assign;
}

export function condition(dice: Dice): Record<string, unknown> {
  return dice.weigh<Record<string, unknown>>(
    [5, () => ({ expression: dice.pick(['variables.a >= 0', 'variables.a > 3', 'true', 'true', 'false']) })],
    [0.4, () => ({ expression: dice.pick(['1/0 == 1', 'variables.missing == 1', 'variables.b > 3']) })],
    [1, () => ({ type: 'equals', left: 'variables.b', right: 'x' })],
    [1, () => ({ type: 'notEquals', left: 'variables.missing', right: 'x' })],
    [1, () => ({ type: 'contains', left: 'variables.b', right: 'x' })],
    [1, () => ({ type: 'regex', left: 'variables.b', right: '^x+$' })],
  );
}

export function port(dice: Dice, nodes: readonly string[]): Record<string, unknown> {
  return dice.weigh<Record<string, unknown>>(
    [3, () => ({ type: 'variable', variableName: dice.pick(['a', 'b', 'c', 's', 'missing']) })],
    [2, () => ({ type: 'static', value: dice.pick<unknown>(['text', 3, null, { k: 'v' }, ['x']]) })],
    [2, () => ({ type: 'expression', expression: expression(dice) })],
    [
      nodes.length > 0 ? 1 : 0,
      () => ({
        type: 'connection',
        nodeId: dice.pick(nodes),
        outputKey: dice.pick(['a', 'data', 'answers', 'key']),
        optional: dice.chance(0.8),
      }),
    ],
  );
}
