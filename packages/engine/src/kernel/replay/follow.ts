import type { DivergenceKind, JsonObject, RunEvent } from '@baton/protocol';
import { advanceTree, takeNextStep, takeStep, takeStepAt } from '../advance.ts';
import type { Run } from '../run.ts';
import { redactPayload } from '../secrecy/redaction.ts';
import { emit, parentTurn, type Tree, type Turn, type World } from '../turn.ts';
import { learnForeignSeals } from './foreign-seals.ts';
import { learnNamedChecksums } from './named-checksums.ts';
import { takeRecorded } from './recorded.ts';
import { followed, inWordsOf, nextRecorded, type Recorded, readOn } from './source.ts';

/**
 * Replays a tree. It repeats every step in the order and at the times of the source, takes what came from
 * outside from the log of the source, and compares the events. Where the log of the source ends, the replay
 * goes on by itself.
 */
export function followTree(tree: Tree, spent: (tree: Tree) => boolean): 'quiet' | 'spent' | 'wanting' {
  const real = tree.world;
  try {
    for (;;) {
      if (spent(tree)) return 'spent';
      const next = inOrder(tree);
      if (next === 'unknown') return 'wanting';
      const first = next[0];
      if (first === undefined) break;
      const went = followFirst(next, real);
      if (went === 'wanting' || went === 'spent') return went;
      if (went === 'asked') {
        tree.agenda.length = 0;
        return 'quiet';
      }
      if (went === 'moved') continue;
      tree.world = real;
      const own = stepAlone(tree);
      if (own === 'wanting' || own === 'spent') return own;
      if (own === 'quiet') diverge(first.turn, first.recorded, 'missing');
    }
  } finally {
    tree.world = real;
  }
  return advanceTree(tree, spent);
}

interface Next {
  readonly turn: Turn;
  readonly recorded: Recorded;
}

/** The next event of each run of the source, the earliest first. */
function inOrder(tree: Tree): readonly Next[] | 'unknown' {
  const found: Next[] = [];
  for (const turn of tree.turns.values()) {
    const recorded = nextRecorded(turn);
    if (recorded !== undefined && recorded !== 'unknown') found.push({ turn, recorded });
  }
  if (isWanting(tree)) return 'unknown';
  return found.sort((one, other) => one.recorded.pos - other.recorded.pos);
}

/** Older logs lack the order of a tree, so a parent may come before the child that it waits for. */
function followFirst(next: readonly Next[], real: World): Went {
  for (const { turn, recorded } of next) {
    const went = follow(turn, recorded, real);
    if (went !== 'stuck') return went;
  }
  return 'stuck';
}

type Went = 'moved' | 'stuck' | 'asked' | 'wanting' | 'spent';

function follow(turn: Turn, recorded: Recorded, real: World): Went {
  const { tree } = turn;
  const source = followed(turn);
  if (source === undefined) return 'stuck';
  tree.world = worldThen(tree, real, recorded);
  tree.awaitsCommit = false;
  const before = markOf(tree);
  switch (takeRecorded(turn, source, recorded)) {
    case 'taken':
      break;
    case 'asked':
      return 'asked';
    case 'unknown':
      return 'wanting';
    case 'stopped':
      for (const other of tree.turns.values()) if (other.source) other.source.left = true;
      return 'moved';
    case 'by-parent': {
      const parent = parentTurn(turn);
      const next = parent && nextRecorded(parent);
      if (next === 'unknown') return 'wanting';
      return parent && next ? follow(parent, next, real) : 'stuck';
    }
    case 'fails':
      if (!takeNextStep(turn)) return heldUp(tree);
      break;
    case 'not-from-outside':
      if (!takeStepAt(turn, recorded.event.type, recorded.event.nodeId)) return heldUp(tree);
  }
  return settle(tree, before, recorded.starts) === 'unknown' ? 'wanting' : 'moved';
}

/**
 * The world at the time of the recorded event. Values that the source sealed with another key keep the tokens
 * of the source.
 */
export function worldThen({ foreignSeals }: Tree, real: World, { at, event }: Recorded): World {
  const seal: World['seal'] = (tenant, name, value) => {
    const token = real.seal(tenant, name, value);
    return foreignSeals.get(token) ?? token;
  };
  return { ...real, now: at, timestamp: event.timestamp, seal };
}

function heldUp(tree: Tree): 'wanting' | 'spent' | 'stuck' {
  if (isWanting(tree)) return 'wanting';
  return tree.awaitsCommit ? 'spent' : 'stuck';
}

/**
 * Runs that no longer follow a source take a step by themselves, because a run that still follows may wait
 * for them.
 */
function stepAlone(tree: Tree): 'moved' | 'quiet' | 'wanting' | 'spent' {
  for (const turn of tree.turns.values()) {
    if (followed(turn) === undefined && takeStep(turn)) return 'moved';
    if (isWanting(tree)) return 'wanting';
    if (tree.awaitsCommit) return 'spent';
  }
  return 'quiet';
}

export function isWanting(tree: Tree): boolean {
  return tree.wanted.length > 0;
}

/** The state of a tree before a step. */
interface Mark {
  readonly turns: ReadonlyMap<string, { readonly run: Run; readonly texts: number }>;
  readonly happened: number;
  readonly changes: number;
  readonly agenda: readonly string[];
}

export function markOf(tree: Tree): Mark {
  const turns = new Map<string, { run: Run; texts: number }>();
  for (const [runId, { run, texts }] of tree.turns) turns.set(runId, { run, texts: texts.length });
  return {
    turns,
    happened: tree.happened.length,
    changes: tree.changes.length,
    agenda: [...tree.agenda],
  };
}

export function goBack(tree: Tree, mark: Mark): void {
  for (const [runId, turn] of tree.turns) {
    const then = mark.turns.get(runId);
    if (then === undefined) {
      tree.turns.delete(runId);
      continue;
    }
    turn.run = then.run;
    turn.texts.length = then.texts;
  }
  tree.happened.length = mark.happened;
  tree.changes.length = mark.changes;
  tree.agenda.splice(0, tree.agenda.length, ...mark.agenda);
}

/**
 * Compares the events of the last step with the events of the source at the same indexes. If they differ, the
 * step is undone, the divergence is recorded, and the run goes on by itself. The step is also undone when too
 * little of the source has been read (`unknown`), or when it must be repeated with a value learnt from the
 * source (`again`).
 */
export function settle(tree: Tree, mark: Mark, starts: boolean): 'settled' | 'again' | 'unknown' {
  const parting = partingIn(tree, mark);
  if (parting !== undefined) goBack(tree, mark);
  if (parting === 'unknown' || parting === 'again') return parting;
  if (parting !== undefined) diverge(parting.turn, parting.recorded, parting.kind);
  else if (starts && tree.happened.length > mark.happened) tree.steps.push(mark.happened);
  return 'settled';
}

interface Parting {
  readonly turn: Turn;
  readonly recorded?: Recorded;
  readonly kind: DivergenceKind;
}

function partingIn(tree: Tree, mark: Mark): Parting | 'unknown' | 'again' | undefined {
  for (const turn of tree.turns.values()) {
    const source = followed(turn);
    const from = mark.turns.get(turn.run.runId)?.texts ?? 0;
    if (!mark.turns.has(turn.run.runId)) {
      const parting = partingAtBirth(turn, mark);
      if (parting) return parting;
      continue;
    }
    if (source === undefined || turn.texts.length === from) continue;
    const texts = turn.texts.slice(from);
    const first = turn.run.head - texts.length;
    for (const [at, text] of texts.entries()) {
      const recorded = source.ahead.find(({ event }) => event.sequence === first + at);
      if (recorded === undefined) return source.complete ? { turn, kind: 'extra' } : readOn(turn);
      const words = inWordsOf(recorded.event, turn, text);
      if (isSameFact(turn, words, recorded.text)) continue;
      if (learn(turn, words, recorded.text)) return 'again';
      const { type } = JSON.parse(text) as { type: string };
      return { turn, recorded, kind: type === recorded.event.type ? 'output' : 'type-mismatch' };
    }
  }
  return undefined;
}

/** Learns a value of the source that this host cannot compute itself. */
function learn(turn: Turn, own: string, recorded: string): boolean {
  return learnForeignSeals(turn, own, recorded) || learnNamedChecksums(turn, own, recorded);
}

/**
 * A value that became a secret after the source recorded it is removed from the events of the replay. This is
 * not a difference.
 */
function isSameFact({ tree, run }: Turn, words: string, recorded: string): boolean {
  if (words === recorded) return true;
  const redactor = tree.world.redactor(run.tenant);
  if (redactor === undefined || redactor.redactText(recorded) === recorded) return false;
  const event = JSON.parse(recorded) as RunEvent;
  const { payload } = redactPayload(redactor, event.payload as JsonObject, JSON.stringify(event.payload));
  return words === JSON.stringify({ ...event, payload });
}

/** A child that was created in this step is undone with the step. So its parent is the run that diverges. */
function partingAtBirth(turn: Turn, mark: Mark): Parting | 'again' | undefined {
  const parent = parentTurn(turn);
  const source = parent && followed(parent);
  const number = Number(turn.run.runId.split('.').at(-1));
  const known = source?.children.get(number);
  const text = turn.texts[0];
  if (parent === undefined || known === undefined || known === 'absent' || text === undefined)
    return undefined;
  const words = inWordsOf(known.started, turn, text);
  if (isSameFact(turn, words, known.text)) return undefined;
  if (learn(turn, words, known.text)) return 'again';
  const then = mark.turns.get(parent.run.runId)?.run.head;
  const recorded = source?.ahead.find(({ event }) => event.sequence === then);
  return { turn: parent, ...(recorded && { recorded }), kind: 'output' };
}

/** Records the divergence. From now on the run no longer follows its source. */
export function diverge(turn: Turn, recorded: Recorded | undefined, divergenceKind: DivergenceKind): void {
  const { fork, head } = turn.run;
  if (fork === undefined) return;
  emit(turn, 'replay.diverged', {
    sourceRunId: fork.sourceRunId,
    atSequence: recorded?.event.sequence ?? head,
    ...(recorded && { originalEventId: recorded.event.eventId, divergencePoint: recorded.event.type }),
    divergenceKind,
  });
  turn.tree.steps.push(turn.tree.happened.length - 1);
  turn.tree.agenda.push(turn.run.runId);
}
