import type { JsonObject, TurnInputs } from '@baton/protocol';
import type { DecideNeeds } from '../graph/decide.ts';
import type { TranscriptLine, WorkingRun } from '../working-run.ts';
import { entryOf } from './entry.ts';
import { recall, recallFrom } from './recall.ts';

/**
 * The contents of a turn's inputs, for the expression of the supervisor. Only inputs that it names are read.
 */

const MOST_ENTRIES = 100;

export function turnView(working: WorkingRun, given: TurnInputs, needs: DecideNeeds): JsonObject | 'unknown' {
  const memory = needs.memory ? recall(working, { limit: MOST_ENTRIES }) : [];
  const workspace = needs.workspace ? filesOf(working, given) : [];
  const transcript = needs.transcript ? linesOf(working, given.transcript) : [];
  if (memory === 'unknown' || workspace === 'unknown' || transcript === 'unknown') return 'unknown';
  return {
    iteration: working.run.iteration + 1,
    memory: memory.map(entryOf),
    workspace,
    transcript: transcript.map((line): JsonObject => ({ ...line })),
    goalsNotMet: [...(given.goalsNotMet ?? [])],
  };
}

function filesOf(working: WorkingRun, { workspace }: TurnInputs): readonly JsonObject[] | 'unknown' {
  const rows = recallFrom(working, workspace ? [workspace] : [], { limit: MOST_ENTRIES });
  return rows === 'unknown'
    ? rows
    : rows.map(({ id, revision, content }) => ({ path: id, version: revision, content }));
}

/** The stored events of the window, and then the events of this slice. */
function linesOf(
  working: WorkingRun,
  { from, to }: TurnInputs['transcript'],
): readonly TranscriptLine[] | 'unknown' {
  const { run, texts, tree } = working;
  const firstOwn = run.head - texts.length;
  const own = texts.slice(Math.max(0, from - firstOwn)).map(lineOf);
  const limit = Math.min(firstOwn, to) - from;
  if (limit <= 0) return own;
  // A fork can read inherited events by its own id only after the fork itself was stored.
  if (working.base === undefined && working.inherited !== undefined) {
    tree.awaitsCommit = true;
    return 'unknown';
  }
  const stored = tree.world.transcript(run.runId, from, limit);
  if (stored === 'unknown') {
    tree.wanted.push({ kind: 'transcript', runId: run.runId, from, limit });
    return 'unknown';
  }
  return [...stored, ...own];
}

export function lineOf(text: string): TranscriptLine {
  const { sequence, type, nodeId } = JSON.parse(text) as { sequence: number; type: string; nodeId?: string };
  return { sequence, type, ...(nodeId !== undefined && { nodeId }) };
}
