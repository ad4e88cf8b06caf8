import type { Artifact } from '@a2a-js/sdk';
import { HANDOFF_EXTENSION } from '@baton/protocol';
import type { RunResult } from '../published/result.ts';

/** The result of a run as the artifact of its task. */
export function artifactOf(result: RunResult | undefined): Artifact | undefined {
  if (result === undefined) return undefined;
  const { outputs, statement } = result;
  return {
    artifactId: 'outputs',
    name: 'outputs',
    description: 'The variables with which the run ended.',
    parts: [
      {
        content: { $case: 'data', value: outputs },
        metadata: undefined,
        filename: '',
        mediaType: 'application/json',
      },
    ],
    metadata: statement && { [HANDOFF_EXTENSION]: statement },
    extensions: statement ? [HANDOFF_EXTENSION] : [],
  };
}
