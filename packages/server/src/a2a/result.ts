import type { Artifact } from '@a2a-js/sdk';
import { type SigningKey, signStatement } from '@baton/engine';
import type { RunRow } from '@baton/engine/ports';
import { digest, eventId, HANDOFF_EXTENSION, isTerminal, type JsonObject } from '@baton/protocol';

/** The result of a run: the variables that it ended with, and a signed statement about them. */

interface ResultOptions {
  readonly hostId: string;
  readonly key: SigningKey;
  /** The variables of a run that completed, as its caller may see them. */
  readonly variables: JsonObject;
}

/**
 * A run that did not complete has no outputs, and its statement covers an empty object. A run of a version without
 * hash chains has no statement.
 */
export function resultOf(row: RunRow, { hostId, key, variables }: ResultOptions): Artifact | undefined {
  const { runId, status, head, chain } = row;
  if (!isTerminal(status)) return undefined;
  const outputs = status === 'completed' ? variables : {};
  const facts = { hostId, runId, status, eventId: eventId(runId, head - 1), checksum: digest(outputs) };
  const statement = chain === undefined ? undefined : signStatement(key, { ...facts, link: chain });
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
