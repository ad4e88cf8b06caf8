import { expect, it } from 'vitest';
import { allExamples, examplesIn, problemsOfExamples } from './typed-examples.ts';

it('the examples in doc comments of the client and in all pages compile', () => {
  const examples = allExamples();
  expect(examples.length).toBeGreaterThan(5);
  const wrong = [
    '/**',
    ' * ```ts',
    " * import { connect } from '@baton/client';",
    " * connect({ url: 'http://host.example', keys: [] });",
    ' * ```',
    ' */',
  ].join('\n');
  const problems = problemsOfExamples([...examples, ...examplesIn('wrong.ts', wrong)]);
  expect(problems).toEqual([expect.stringMatching(/^wrong\.ts, example 1: .*'keys' does not exist/)]);
});
