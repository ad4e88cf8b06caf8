import type { DivergenceKind } from '@baton/protocol';
import { advanceTree, takeStep, takeStepAt } from '../advance.ts';
import { emit, parentTurn, type Tree, type Turn } from '../turn.ts';
import { takeRecorded } from './recorded.ts';
import { followed, inWordsOf, nextRecorded, type Recorded } from './source.ts';

/**
 * Replays a tree: does everything over again, in the order and at the times of the source, with what came from
 * outside taken from its log, and compares. Where the source's log ends the replay goes on by itself.
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
      const went = followFirst(next);
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

/** What each run of the source did next, the earliest first. */
function inOrder(tree: Tree): readonly Next[] | 'unknown' {
  const found: Next[] = [];
  for (const turn of tree.turns.values()) {
    const recorded = nextRecorded(turn);
    if (recorded !== undefined && recorded !== 'unknown') found.push({ turn, recorded });
  }
  if (isWanting(tree)) return 'unknown';
  return found.sort((one, other) => one.recorded.pos - other.recorded.pos);
}

/** Logs from before the order of a tree was kept may put a parent before the child that it waits for. */
function followFirst(next: readonly Next[]): Went {
  for (const { turn, recorded } of next) {
    const went = follow(turn, recorded);
    if (went !== 'stuck') return went;
  }
  return 'stuck';
}

type Went = 'moved' | 'stuck' | 'asked' | 'wanting' | 'spent';

function follow(turn: Turn, recorded: Recorded): Went {
  const { tree } = turn;
  const source = followed(turn);
  if (source === undefined) return 'stuck';
  tree.world = {
    ...tree.world,
    now: recorded.at,
    timestamp: recorded.event.timestamp,
  };
  tree.awaitsCommit = false;
  const before = marks(tree);
  const at = tree.happened.length;
  switch (takeRecorded(turn, source, recorded)) {
    case 'taken':
      break;
    case 'asked':
      return 'asked';
    case 'stopped':
      for (const other of tree.turns.values()) if (other.source) other.source.left = true;
      return 'moved';
    case 'by-parent': {
      const parent = parentTurn(turn);
      const next = parent && nextRecorded(parent);
      if (next === 'unknown') return 'wanting';
      return parent && next ? follow(parent, next) : 'stuck';
    }
    case 'not-from-outside':
      if (!takeStepAt(turn, recorded.event.type, recorded.event.nodeId)) {
        if (isWanting(tree)) return 'wanting';
        return tree.awaitsCommit ? 'spent' : 'stuck';
      }
  }
  if (recorded.starts && tree.happened.length > at) tree.steps.push(at);
  compare(tree, before);
  return 'moved';
}

/** Runs that no longer follow anything do what they can; one that follows may be waiting for them. */
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

type Marks = ReadonlyMap<Turn, number>;

export function marks(tree: Tree): Marks {
  return new Map([...tree.turns.values()].map((turn) => [turn, turn.texts.length]));
}

/** Whatever was recorded just now must be what the source recorded at the same index. */
export function compare(tree: Tree, before: Marks): void {
  for (const turn of [...tree.turns.values()]) {
    const from = before.get(turn) ?? 0;
    const source = followed(turn);
    if (source === undefined || turn.texts.length === from) continue;
    const texts = turn.texts.slice(from);
    const first = turn.run.head - texts.length;
    for (const [at, text] of texts.entries()) {
      const recorded = source.ahead.find(({ event }) => event.sequence === first + at);
      if (recorded === undefined) {
        if (!source.complete) break;
        diverge(turn, undefined, 'extra');
        break;
      }
      if (inWordsOf(recorded.event, turn, text) === recorded.text) continue;
      const { type } = JSON.parse(text) as { type: string };
      diverge(turn, recorded, type === recorded.event.type ? 'output' : 'type-mismatch');
      break;
    }
  }
}

/** From here on the run no longer follows its source; it says where they part and goes on. */
export function diverge(turn: Turn, recorded: Recorded | undefined, divergenceKind: DivergenceKind): void {
  const { fork, head } = turn.run;
  if (fork === undefined) return;
  emit(turn, 'replay.diverged', {
    sourceRunId: fork.sourceRunId,
    atSequence: recorded?.event.sequence ?? head - 1,
    ...(recorded && { originalEventId: recorded.event.eventId, divergencePoint: recorded.event.type }),
    divergenceKind,
  });
  turn.tree.agenda.push(turn.run.runId);
}
