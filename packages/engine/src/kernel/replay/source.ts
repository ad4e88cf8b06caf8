import { type EventOf, type EventType, type RunEvent, rootRunId } from '@baton/protocol';
import { isEnded } from '../run.ts';
import type { Recorded, Source, Tree, Turn } from '../node-type.ts';

export type { Recorded, RecordedChild, Source } from '../node-type.ts';
export type { SourceWant } from '../want.ts';

export function newSource(): Source {
  return { ahead: [], complete: false, left: false, children: new Map() };
}

export function isReplay(tree: Tree): boolean {
  for (const { run } of tree.turns.values()) if (run.fork?.mode === 'replay') return true;
  return false;
}

/** The source of a run that has not diverged. */
export function followed(turn: Turn): Source | undefined {
  const { source, run } = turn;
  return source && !source.left && run.fork?.diverged === false ? source : undefined;
}

/** The next event of the source. `undefined` when there is none, or when the replay has ended. */
export function nextRecorded(turn: Turn): Recorded | 'unknown' | undefined {
  const source = followed(turn);
  if (source === undefined || isEnded(turn.run)) return undefined;
  const { head } = turn.run;
  while (source.ahead[0] !== undefined && source.ahead[0].event.sequence < head) source.ahead.shift();
  if (source.ahead[0] !== undefined) return source.ahead[0];
  return source.complete ? undefined : readOn(turn);
}

/**
 * True while the replay has not reached the end of its source's log. Until then, what comes from outside is
 * in that log.
 */
export function isFollowing(turn: Turn): boolean {
  return recordedHere(turn) !== undefined;
}

/** Asks the driver to read more of the source. */
export function readOn({ tree, run }: Turn): 'unknown' {
  tree.wanted.push({ kind: 'source-events', runId: run.runId });
  return 'unknown';
}

/** The replay has reached the end of its source's log. */
export function isAtEnd(turn: Turn): boolean {
  const { run, source } = turn;
  return source?.complete === true && !source.ahead.some(({ event }) => event.sequence >= run.head);
}

/** The event of the source at the head of the replay, which may be in the middle of a step. */
export function recordedHere(turn: Turn): Recorded | 'unknown' | undefined {
  const source = followed(turn);
  const { head } = turn.run;
  const found = source?.ahead.find(({ event }) => event.sequence === head);
  return source === undefined || found !== undefined || source.complete ? found : readOn(turn);
}

/**
 * True when the source stopped the step that started this node and went on in a later step, because it had to
 * read something first. Events from outside may have been recorded in between. Older logs do not say where
 * steps begin. For them, if the time is the same, only an event that the node itself cannot have recorded
 * shows this.
 */
export function wentOnLater(turn: Turn, nodeId: string): boolean {
  const recorded = recordedHere(turn);
  if (recorded === undefined || recorded === 'unknown' || !recorded.starts) return false;
  if (recorded.at > turn.tree.world.now) return true;
  const { event } = recorded;
  return event.nodeId === nodeId ? event.type === 'node.cancelled' : event.type !== 'baton.memory.seen';
}

/** The next event of the source about a node with one of these types. */
export function recordedAbout<T extends EventType>(
  turn: Turn,
  nodeId: string,
  ...types: readonly T[]
): EventOf<T> | 'unknown' | undefined {
  const source = followed(turn);
  if (source === undefined) return undefined;
  const isMeant = (event: RunEvent): event is EventOf<T> =>
    event.nodeId === nodeId && (types as readonly EventType[]).includes(event.type);
  for (const { event } of source.ahead) if (event.sequence >= turn.run.head && isMeant(event)) return event;
  return source.complete ? undefined : readOn(turn);
}

/**
 * The text with the ids of the source. The ids of a replay differ only in the root id, which is random and
 * occurs in a log only as an id. A text that names the replay's own memory scope is not changed: the source
 * has no such scope, so the events differ.
 */
export function inWordsOf(recorded: RunEvent, turn: Turn, text: string): string {
  const root = rootRunId(turn.run.runId);
  return text.includes(`"run:${root}`) ? text : text.replaceAll(root, rootLike(turn, recorded.runId));
}

/** An id of the source as the replay has it. */
export function inOwnWords(recorded: RunEvent, turn: Turn, id: string | undefined): string | undefined {
  return id?.replace(rootLike(turn, recorded.runId), rootRunId(turn.run.runId));
}

/** The query with the ids that memory was written with. */
export function inWordsOfMemory<T extends object>(turn: Turn, asked: T): T {
  const { fork, runId } = turn.run;
  if (fork === undefined || followed(turn) === undefined) return asked;
  const names = [rootRunId(runId), rootLike(turn, fork.sourceRunId)];
  const text = JSON.stringify(asked);
  if (!names.some((name) => text.includes(name))) return asked;
  const origin = rootLike(turn, fork.origin);
  return JSON.parse(names.reduce((words, name) => words.replaceAll(name, origin), text)) as T;
}

/**
 * The part of an id that corresponds to the root id of the replay. The id may be of a child, because a child
 * can be replayed by itself.
 */
function rootLike({ run }: Turn, runId: string): string {
  return runId.slice(0, runId.length - (run.runId.length - rootRunId(run.runId).length));
}
