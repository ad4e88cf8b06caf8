import type { JsonObject, TurnInputs } from '@baton/protocol';
import type { DecideNeeds } from '../graph/decide.ts';
import type { TranscriptLine, Turn } from '../turn.ts';
import { entryOf } from './entry.ts';
import { recall, recallFrom } from './recall.ts';

/** What a supervisor's turn was given, spelt out for its expression. Only what the expression names is read. */

const MOST_ENTRIES = 100;

export function turnView(turn: Turn, given: TurnInputs, needs: DecideNeeds): JsonObject | 'unknown' {
  const memory = needs.memory ? recall(turn, { limit: MOST_ENTRIES }) : [];
  const workspace = needs.workspace ? filesOf(turn, given) : [];
  const transcript = needs.transcript ? linesOf(turn, given.transcript) : [];
  if (memory === 'unknown' || workspace === 'unknown' || transcript === 'unknown') return 'unknown';
  return {
    iteration: turn.run.iteration + 1,
    memory: memory.map(entryOf),
    workspace,
    transcript: transcript.map((line): JsonObject => ({ ...line })),
    goalsNotMet: [...(given.goalsNotMet ?? [])],
  };
}

function filesOf(turn: Turn, { workspace }: TurnInputs): readonly JsonObject[] | 'unknown' {
  const rows = recallFrom(turn, workspace ? [workspace] : [], { limit: MOST_ENTRIES });
  return rows === 'unknown'
    ? rows
    : rows.map(({ id, revision, content }) => ({ path: id, version: revision, content }));
}

/** The stored events of the window, and after them those of this slice. */
function linesOf(turn: Turn, { from, to }: TurnInputs['transcript']): readonly TranscriptLine[] | 'unknown' {
  const { run, texts, tree } = turn;
  const firstOwn = run.head - texts.length;
  const own = texts.slice(Math.max(0, from - firstOwn)).map(lineOf);
  const limit = Math.min(firstOwn, to) - from;
  if (limit <= 0) return own;
  // What a fork inherited can be read under its name once it is stored itself.
  if (turn.base === undefined && turn.inherited !== undefined) {
    tree.awaitsCommit = true;
    return 'unknown';
  }
  const stored = tree.world.transcript(run.runId, from, limit);
  if (stored === 'unknown') {
    tree.wanted.push({ kind: 'transcript', runId: run.runId, from, limit });
    return 'unknown';
  }
  // An earlier slice of the same round holds the events in between.
  if (stored.length < limit && tree.slicesUnderWay > 0) {
    tree.awaitsCommit = true;
    return 'unknown';
  }
  return [...stored, ...own];
}

export function lineOf(text: string): TranscriptLine {
  const { sequence, type, nodeId } = JSON.parse(text) as { sequence: number; type: string; nodeId?: string };
  return { sequence, type, ...(nodeId !== undefined && { nodeId }) };
}
