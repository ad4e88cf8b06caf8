import { checkWorkflow } from '@baton/engine';
import type { WorkflowDefinition } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { codeReviewPanel, critic, researchTeam, vettedReport, writer } from './examples.ts';
import { example } from './read-example.ts';

const BUILT = [
  ['vetted-report.json', vettedReport],
  ['vetted-report-writer.json', writer],
  ['vetted-report-critic.json', critic],
  ['research-team/workflow.json', researchTeam],
] as const;

const withoutPlaces = ({ nodes, ...rest }: WorkflowDefinition) => ({
  ...rest,
  nodes: nodes.map(({ position: _, ...node }) => node),
});

describe('a workflow that was built', () => {
  it.each(BUILT)('is the JSON of the example %s', (path, built) => {
    expect(built.toJSON()).toEqual(example(path));
  });

  it('is the JSON of an example whose nodes stand elsewhere', () => {
    expect(withoutPlaces(codeReviewPanel.toJSON())).toEqual(
      withoutPlaces(example('code-review-panel/workflow.json')),
    );
  });

  it.each([...BUILT, ['code-review-panel/workflow.json', codeReviewPanel] as const])(
    'is registered as %s is, without a change and without a warning',
    (_path, built) => {
      const definition = built.toJSON();
      expect(checkWorkflow(definition)).toEqual({ definition, warnings: [] });
    },
  );
});
