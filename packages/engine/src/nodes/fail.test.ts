import { expect, it } from 'vitest';
import { fixtureFail } from '../../../conformance/src/nodes/fixtures.ts';
import type { NodeView } from '../kernel/model.ts';
import { fail } from './fail.ts';

const view = (config: object) => ({ config }) as NodeView;

it.each([
  [fail, 'node_failed'],
  [fixtureFail, 'conformance_test_failure'],
] as const)('fails with the usual code of its type', (type, code) => {
  expect(type.start(view({}))).toMatchObject({ do: 'fail', error: { code } });
});

it.each([fail, fixtureFail])('fails with the code and the message of the author', (type) => {
  const error = { code: 'out_of_stock', message: 'There is none left.' };
  expect(type.start(view(error))).toEqual({ do: 'fail', error });
});
