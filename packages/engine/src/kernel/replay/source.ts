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

/** The source of a run that still does what its source did. */
export function followed(turn: Turn): Source | undefined {
  const { source, run } = turn;
  return source && !source.left && run.fork?.diverged === false ? source : undefined;
}

/** What the source did where the replay stands now. A replay that was cancelled does nothing more. */
export function nextRecorded(turn: Turn): Recorded | 'unknown' | undefined {
  const source = followed(turn);
  if (source === undefined || isEnded(turn.run)) return undefined;
  const { head } = turn.run;
  while (source.ahead[0] !== undefined && source.ahead[0].event.sequence < head) source.ahead.shift();
  if (source.ahead[0] !== undefined) return source.ahead[0];
  return source.complete ? undefined : readOn(turn);
}

/** The replay has not come to where its source's log ends, so what comes from outside is still in that log. */
export function isFollowing(turn: Turn): boolean {
  return recordedHere(turn) !== undefined;
}

/** More of the source has to be read first. */
export function readOn({ tree, run }: Turn): 'unknown' {
  tree.wanted.push({ kind: 'source-events', runId: run.runId });
  return 'unknown';
}

/** The replay has come to where its source's log ends. */
export function isAtEnd(turn: Turn): boolean {
  const { run, source } = turn;
  return source?.complete === true && !source.ahead.some(({ event }) => event.sequence >= run.head);
}

/** What the source recorded at this very place, which may be in the middle of a step. */
export function recordedHere(turn: Turn): Recorded | 'unknown' | undefined {
  const source = followed(turn);
  const { head } = turn.run;
  const found = source?.ahead.find(({ event }) => event.sequence === head);
  return source === undefined || found !== undefined || source.complete ? found : readOn(turn);
}

/**
 * The source did nothing more in the step that started this node: it had to find something out first, and whatever
 * came from outside meanwhile was recorded before it went on. Older logs do not know where their steps start, so at the
 * same time only an event that the node itself cannot have recorded tells.
 */
export function wentOnLater(turn: Turn, nodeId: string): boolean {
  const recorded = recordedHere(turn);
  if (recorded === undefined || recorded === 'unknown' || !recorded.starts) return false;
  if (recorded.at > turn.tree.world.now) return true;
  const { event } = recorded;
  return event.nodeId === nodeId ? event.type === 'node.cancelled' : event.type !== 'baton.memory.seen';
}

/** What the source recorded next about a node, of one of these types. */
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
 * A replay's ids are its source's but for the name of the root, which is random and nowhere else in a log. A scope
 * of its own has no counterpart: whoever remembers something there, or takes it over, does not do the same.
 */
export function inWordsOf(recorded: RunEvent, turn: Turn, text: string): string {
  const root = rootRunId(turn.run.runId);
  return text.includes(`"run:${root}`) ? text : text.replaceAll(root, rootLike(turn, recorded.runId));
}

/** The other way round: an id of the source's as the replay would have it. */
export function inOwnWords(recorded: RunEvent, turn: Turn, id: string | undefined): string | undefined {
  return id?.replace(rootLike(turn, recorded.runId), rootRunId(turn.run.runId));
}

/** What was remembered under an id is found under the id that it was written with. */
export function inWordsOfMemory<T extends object>(turn: Turn, asked: T): T {
  const { fork, runId } = turn.run;
  if (fork === undefined || followed(turn) === undefined) return asked;
  const names = [rootRunId(runId), rootLike(turn, fork.sourceRunId)];
  const text = JSON.stringify(asked);
  if (!names.some((name) => text.includes(name))) return asked;
  const origin = rootLike(turn, fork.origin);
  return JSON.parse(names.reduce((words, name) => words.replaceAll(name, origin), text)) as T;
}

/** Which part of a name stands where the replay's has its root: a child may have been replayed by itself. */
function rootLike({ run }: Turn, runId: string): string {
  return runId.slice(0, runId.length - (run.runId.length - rootRunId(run.runId).length));
}
