import { expect, it } from 'vitest';
import { examplesOn } from './examples.ts';

it('offers three examples of a host that has all of them', () => {
  const offered = examplesOn(
    new Set(['notebook', 'research-desk', 'hello', 'vetted-report', 'research-team']),
  );
  expect(offered.map(({ workflowId }) => workflowId)).toEqual(['hello', 'vetted-report', 'research-team']);
});

it('offers the others where some are missing, and none that the host lacks', () => {
  expect(
    examplesOn(new Set(['hello', 'release-approval', 'mine'])).map(({ workflowId }) => workflowId),
  ).toEqual(['hello', 'release-approval']);
});

interface Definition {
  readonly id: string;
  readonly variables: readonly { readonly name: string; readonly required?: boolean }[];
}

it('offers workflows that exist and need no input', () => {
  const files = import.meta.glob<Definition>(
    ['../../../../../examples/*.json', '../../../../../examples/*/workflow.json'],
    { eager: true, import: 'default' },
  );
  const workflows = Object.values(files);
  const offered = examplesOn(new Set(workflows.map(({ id }) => id)));
  expect(offered).toHaveLength(3);
  const needed = offered.flatMap(({ workflowId }) =>
    (workflows.find(({ id }) => id === workflowId)?.variables ?? []).filter(
      ({ required }) => required === true,
    ),
  );
  expect(needed).toEqual([]);
});
