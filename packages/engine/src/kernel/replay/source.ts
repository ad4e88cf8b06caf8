import { type EventOf, type EventType, type RunEvent, rootRunId } from '@baton/protocol';
import { ownScope } from '../fold/evolve-fork.ts';
import type { Recorded, Source, Tree, WorkingRun } from '../model.ts';
import { isEnded } from '../run.ts';

export type { Recorded, RecordedChild, RecordedOutcome, Source } from '../model.ts';
export type { SourceWant } from '../want.ts';

export function newSource(): Source {
  return { ahead: [], complete: false, left: false, children: new Map() };
}

export function isReplay(tree: Tree): boolean {
  for (const { run } of tree.runs.values()) if (run.fork?.mode === 'replay') return true;
  return false;
}

/** The source of a run that has not diverged. */
export function followed(working: WorkingRun): Source | undefined {
  const { source, run } = working;
  return source && !source.left && run.fork?.diverged === false ? source : undefined;
}

/** The next event of the source. `undefined` when there is none, or when the replay has ended. */
export function nextRecorded(working: WorkingRun): Recorded | 'unknown' | undefined {
  const source = followed(working);
  if (source === undefined || isEnded(working.run)) return undefined;
  const { head } = working.run;
  while (source.ahead[0] !== undefined && source.ahead[0].event.sequence < head) source.ahead.shift();
  if (source.ahead[0] !== undefined) return source.ahead[0];
  return source.complete ? undefined : readOn(working);
}

/**
 * True while the replay has not reached the end of its source's log. Until then, answers and outcomes from
 * outside are copied from that log.
 */
export function isFollowing(working: WorkingRun): boolean {
  return recordedHere(working) !== undefined;
}

/** Asks the driver to read more of the source. */
export function readOn({ tree, run }: WorkingRun): 'unknown' {
  tree.wanted.push({ kind: 'source-events', runId: run.runId });
  return 'unknown';
}

/** The replay has reached the end of its source's log. */
export function isAtEnd(working: WorkingRun): boolean {
  const { run, source } = working;
  return source?.complete === true && !source.ahead.some(({ event }) => event.sequence >= run.head);
}

/** The event of the source at the head of the replay, which may be in the middle of a step. */
export function recordedHere(working: WorkingRun): Recorded | 'unknown' | undefined {
  const source = followed(working);
  const { head } = working.run;
  const found = source?.ahead.find(({ event }) => event.sequence === head);
  return source === undefined || found !== undefined || source.complete ? found : readOn(working);
}

/**
 * True when the source ended its step with the last event of the replay and went on in a later step, because it had to
 * read something first. Other events may have been recorded in between, also in other runs of the tree.
 */
export function wentOnLater(working: WorkingRun): boolean {
  const next = recordedHere(working);
  const last = working.source?.ahead.find(({ event }) => event.sequence === working.run.head - 1);
  if (next === undefined || next === 'unknown' || last === undefined) return false;
  return isInLaterStep(last, next);
}

/** Whether the second of two events of a run is in a later step than the first. This step may begin in another run. */
export function isInLaterStep(
  { stepEnd }: Pick<Recorded, 'stepEnd'>,
  { starts, place }: Pick<Recorded, 'starts' | 'place'>,
): boolean {
  return starts || place > stepEnd;
}

/** The next event of the source about a node with one of these types. */
export function recordedAbout<T extends EventType>(
  working: WorkingRun,
  nodeId: string,
  ...types: readonly T[]
): EventOf<T> | 'unknown' | undefined {
  const source = followed(working);
  if (source === undefined) return undefined;
  const isMeant = (event: RunEvent): event is EventOf<T> =>
    event.nodeId === nodeId && (types as readonly EventType[]).includes(event.type);
  for (const { event } of source.ahead)
    if (event.sequence >= working.run.head && isMeant(event)) return event;
  return source.complete ? undefined : readOn(working);
}

/**
 * The text with the ids of the source. The ids of a replay differ only in the root id, which is random and
 * occurs in a log only as an id. A text that names the replay's own memory scope is not changed: the source
 * has no such scope, so the events differ.
 */
export function inWordsOf(recorded: RunEvent, working: WorkingRun, text: string): string {
  const root = rootRunId(working.run.runId);
  return text.includes(`"run:${root}`) ? text : text.replaceAll(root, rootLike(working, recorded.runId));
}

/** An id of the source as the replay has it. */
export function inOwnWords(
  recorded: RunEvent,
  working: WorkingRun,
  id: string | undefined,
): string | undefined {
  return id?.replace(rootLike(working, recorded.runId), rootRunId(working.run.runId));
}

/** The query with the ids that memory was written with. */
export function inWordsOfMemory<T extends object>(working: WorkingRun, asked: T): T {
  const { fork, runId, memory } = working.run;
  if (fork === undefined || followed(working) === undefined || memory.scope === ownScope(runId)) return asked;
  const names = [rootRunId(runId), rootLike(working, fork.sourceRunId)];
  const text = JSON.stringify(asked);
  if (!names.some((name) => text.includes(name))) return asked;
  const origin = rootLike(working, fork.origin);
  return JSON.parse(names.reduce((words, name) => words.replaceAll(name, origin), text)) as T;
}

/**
 * The part of an id that corresponds to the root id of the replay. The id may be of a child, because a child
 * can be replayed by itself.
 */
function rootLike({ run }: WorkingRun, runId: string): string {
  return runId.slice(0, runId.length - (run.runId.length - rootRunId(run.runId).length));
}
