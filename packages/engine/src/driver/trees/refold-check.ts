import { isDeepStrictEqual } from 'node:util';
import { EVENT_PAYLOADS, problemWith, type RunEvent } from '@baton/protocol';
import { foldTexts } from '../../fold.ts';
import type { Run } from '../../kernel/run.ts';
import type { Tree } from '../../kernel/working-run.ts';

/**
 * Tests determinism: refolds the events that are about to be stored, from their bytes, and compares the
 * states. Also checks every event against its schema. All tests run with this check.
 */
export function checkRefold(tree: Tree): void {
  for (const { base, run, texts, inherited, point } of tree.runs.values()) {
    if (texts.length === 0) continue;
    for (const text of texts) checkEvent(JSON.parse(text) as RunEvent);
    const before = base ?? inherited;
    const isNewFork = before === undefined && point !== undefined;
    const again = foldTexts(
      before && (JSON.parse(JSON.stringify(before)) as Run),
      texts,
      isNewFork ? [point] : [],
    );
    if (!isDeepStrictEqual(again, run)) {
      throw new Error(`run ${run.runId} does not fold to the same state from its stored bytes`);
    }
  }
}

function checkEvent(event: RunEvent): void {
  const problem = problemWith(EVENT_PAYLOADS[event.type], event.payload);
  if (problem) {
    throw new Error(
      `${event.type} (${event.eventId}) is not of its schema: ${problem.field} ${problem.problem}`,
    );
  }
}
