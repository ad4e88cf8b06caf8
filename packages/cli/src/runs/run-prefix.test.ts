import { expect, it } from 'vitest';
import { runNamed } from './run-prefix.ts';

const OWLS = '01a1ea90-22d4-73f5-b367-e07d818d9d68';
const TIDES = '01a1ea90-9c10-7d02-8f21-2f426fb8704c';
const RUNS = [TIDES, `${OWLS}.2`, `${OWLS}.1`, OWLS];

it.each([
  ['01a1ea90-2', OWLS],
  [OWLS, OWLS],
  [`${OWLS}.2`, `${OWLS}.2`],
  ['01a1e', undefined],
  ['01a1eb', undefined],
])('%s names %s', (beginning, runId) => {
  expect(runNamed(beginning, RUNS)).toBe(runId);
});

it('refuses the beginning of several ids, and lists them', () => {
  expect(() => runNamed('01a1ea', RUNS)).toThrow(
    expect.objectContaining({
      message: 'The ids of 2 runs begin with 01a1ea.',
      hint: `Write more of the id: ${TIDES}, ${OWLS}.`,
      exit: 2,
    }),
  );
  const many = Array.from({ length: 12 }, (_, number) => `01a1ea90-${number}`);
  expect(() => runNamed('01a1ea', many)).toThrow(
    expect.objectContaining({ hint: expect.stringMatching(/: 01a1ea90-0, .*, 01a1ea90-7 and 4 more\.$/) }),
  );
});
