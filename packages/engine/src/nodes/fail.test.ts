import { expect, it } from 'vitest';
import type { NodeView } from '../kernel/model.ts';
import { fixtureFail } from './conformance/fail.ts';
import { fail } from './fail.ts';

const view = (config: object, rules?: 1) => ({ config, run: { ...(rules && { rules }) } }) as NodeView;

it.each([
  ['a run of today', fail, 1, 'node_failed'],
  [
    'a run of version 0.3 or before, whose replay has to compute the same',
    fail,
    undefined,
    'conformance_test_failure',
  ],
  ['a run of a fixture', fixtureFail, 1, 'conformance_test_failure'],
] as const)('%s fails with its usual code', (_, type, rules, code) => {
  expect(type.start(view({}, rules))).toMatchObject({ do: 'fail', error: { code } });
});

it.each([fail, fixtureFail])('fails with the code and the message of the author', (type) => {
  const error = { code: 'out_of_stock', message: 'There is none left.' };
  expect(type.start(view(error, 1))).toEqual({ do: 'fail', error });
});
