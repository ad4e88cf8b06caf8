import type { DivergenceKind, JsonObject, RunEvent } from '@baton/protocol';
import { advanceTree, takeNextStep, takeStep, takeStepAt } from '../advance.ts';
import type { Run } from '../run.ts';
import { redactPayload } from '../secrecy/redaction.ts';
import { emit, type Tree, type WorkingRun, type World, workingParent } from '../working-run.ts';
import { learnForeignSeals } from './foreign-seals.ts';
import { learnNamedChecksums } from './named-checksums.ts';
import { takeRecorded } from './recorded.ts';
import { followed, inWordsOf, nextRecorded, type Recorded, readOn } from './source.ts';

/**
 * Replays a tree. It repeats every step in the order and at the times of the source, and compares the events.
 * Answers and outcomes from outside are copied from the log of the source. Where this log ends, the replay
 * goes on by itself.
 */
export function followTree(tree: Tree, spent: (tree: Tree) => boolean): 'quiet' | 'spent' | 'wanting' {
  const real = tree.world;
  try {
    for (;;) {
      const next = inOrder(tree);
      if (next === 'unknown') return 'wanting';
      const first = next[0];
      if (first === undefined) break;
      if (spent(tree)) return 'spent';
      listAll(tree);
      const went = follow(first.working, first.recorded, real);
      if (went === 'wanting' || went === 'spent') return went;
      if (went === 'asked') {
        tree.agenda.length = 0;
        return 'quiet';
      }
      if (went === 'moved') continue;
      tree.world = real;
      const own = stepAlone(tree);
      if (own === 'wanting' || own === 'spent') return own;
      if (own === 'quiet') diverge(first.working, first.recorded, 'missing');
    }
  } finally {
    tree.world = real;
  }
  return advanceTree(tree, spent);
}

/**
 * Puts all runs on the agenda. While a tree follows its source, the source says which run takes the next step. Where
 * the log of the source ends, any run may be able to go on by itself.
 */
export function listAll({ agenda, runs }: Tree): void {
  agenda.splice(0, agenda.length, ...runs.keys());
}

interface Next {
  readonly working: WorkingRun;
  readonly recorded: Recorded;
}

/** The next event of each run of the source, the earliest first. */
function inOrder(tree: Tree): readonly Next[] | 'unknown' {
  const found: Next[] = [];
  for (const working of tree.runs.values()) {
    const recorded = nextRecorded(working);
    if (recorded !== undefined && recorded !== 'unknown') found.push({ working, recorded });
  }
  if (isWanting(tree)) return 'unknown';
  return found.sort((one, other) => one.recorded.place - other.recorded.place);
}

type Went = 'moved' | 'stuck' | 'asked' | 'wanting' | 'spent';

function follow(working: WorkingRun, recorded: Recorded, real: World): Went {
  const { tree } = working;
  const source = followed(working);
  if (source === undefined) return 'stuck';
  tree.world = worldThen(tree, real, recorded);
  tree.awaitsCommit = false;
  const before = markOf(tree);
  switch (takeRecorded(working, source, recorded)) {
    case 'taken':
      break;
    case 'asked':
      return 'asked';
    case 'unknown':
      return 'wanting';
    case 'stopped':
      for (const other of tree.runs.values()) if (other.source) other.source.left = true;
      return 'moved';
    case 'by-parent': {
      const parent = workingParent(working);
      const next = parent && nextRecorded(parent);
      if (next === 'unknown') return 'wanting';
      return parent && next ? follow(parent, next, real) : 'stuck';
    }
    case 'fails':
      if (!takeNextStep(working)) return heldUp(tree);
      break;
    case 'not-from-outside':
      if (!takeStepAt(working, recorded.event.type, recorded.event.nodeId)) return heldUp(tree);
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
  for (const working of tree.runs.values()) {
    if (followed(working) === undefined && takeStep(working)) return 'moved';
    if (isWanting(tree)) return 'wanting';
    if (tree.awaitsCommit) return 'spent';
  }
  return 'quiet';
}

function isWanting(tree: Tree): boolean {
  return tree.wanted.length > 0;
}

/** The state of a tree before a step. */
interface Mark {
  readonly runs: ReadonlyMap<string, { readonly run: Run; readonly texts: number }>;
  readonly happened: number;
  readonly changes: number;
  readonly agenda: readonly string[];
}

export function markOf(tree: Tree): Mark {
  const runs = new Map<string, { run: Run; texts: number }>();
  for (const [runId, { run, texts }] of tree.runs) runs.set(runId, { run, texts: texts.length });
  return {
    runs,
    happened: tree.happened.length,
    changes: tree.changes.length,
    agenda: [...tree.agenda],
  };
}

export function goBack(tree: Tree, mark: Mark): void {
  for (const [runId, working] of tree.runs) {
    const then = mark.runs.get(runId);
    if (then === undefined) {
      tree.runs.delete(runId);
      continue;
    }
    working.run = then.run;
    working.texts.length = then.texts;
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
  if (parting !== undefined) diverge(parting.working, parting.recorded, parting.kind);
  else if (starts && tree.happened.length > mark.happened) tree.steps.push(mark.happened);
  return 'settled';
}

interface Parting {
  readonly working: WorkingRun;
  readonly recorded?: Recorded;
  readonly kind: DivergenceKind;
}

function partingIn(tree: Tree, mark: Mark): Parting | 'unknown' | 'again' | undefined {
  for (const working of tree.runs.values()) {
    const source = followed(working);
    const from = mark.runs.get(working.run.runId)?.texts ?? 0;
    if (!mark.runs.has(working.run.runId)) {
      const parting = partingAtBirth(working, mark);
      if (parting) return parting;
      continue;
    }
    if (source === undefined || working.texts.length === from) continue;
    const texts = working.texts.slice(from);
    const first = working.run.head - texts.length;
    for (const [at, text] of texts.entries()) {
      const recorded = source.ahead.find(({ event }) => event.sequence === first + at);
      if (recorded === undefined) return source.complete ? { working, kind: 'extra' } : readOn(working);
      const words = inWordsOf(recorded.event, working, text);
      if (isSameFact(working, words, recorded.text)) continue;
      if (learn(working, words, recorded.text)) return 'again';
      const { type } = JSON.parse(text) as { type: string };
      return { working, recorded, kind: type === recorded.event.type ? 'output' : 'type-mismatch' };
    }
  }
  return undefined;
}

/** Learns a value of the source that this host cannot compute itself. */
function learn(working: WorkingRun, own: string, recorded: string): boolean {
  return learnForeignSeals(working, own, recorded) || learnNamedChecksums(working, own, recorded);
}

/**
 * A value that became a secret after the source recorded it is removed from the events of the replay. This is
 * not a difference.
 */
function isSameFact({ tree, run }: WorkingRun, words: string, recorded: string): boolean {
  if (words === recorded) return true;
  const redactor = tree.world.redactor(run.tenant);
  if (redactor === undefined || redactor.redactText(recorded) === recorded) return false;
  const event = JSON.parse(recorded) as RunEvent;
  const { payload } = redactPayload(redactor, event.payload as JsonObject, JSON.stringify(event.payload));
  return words === JSON.stringify({ ...event, payload });
}

/** A child that was created in this step is undone with the step. So its parent is the run that diverges. */
function partingAtBirth(working: WorkingRun, mark: Mark): Parting | 'again' | undefined {
  const parent = workingParent(working);
  const source = parent && followed(parent);
  const number = Number(working.run.runId.split('.').at(-1));
  const known = source?.children.get(number);
  const text = working.texts[0];
  if (parent === undefined || known === undefined || known === 'absent' || text === undefined)
    return undefined;
  const words = inWordsOf(known.started, working, text);
  if (isSameFact(working, words, known.text)) return undefined;
  if (learn(working, words, known.text)) return 'again';
  const then = mark.runs.get(parent.run.runId)?.run.head;
  const recorded = source?.ahead.find(({ event }) => event.sequence === then);
  return { working: parent, ...(recorded && { recorded }), kind: 'output' };
}

/** Records the divergence. From now on the run no longer follows its source. */
function diverge(working: WorkingRun, recorded: Recorded | undefined, divergenceKind: DivergenceKind): void {
  const { fork, head } = working.run;
  if (fork === undefined) return;
  emit(working, 'replay.diverged', {
    sourceRunId: fork.sourceRunId,
    atSequence: recorded?.event.sequence ?? head,
    ...(recorded && { originalEventId: recorded.event.eventId, divergencePoint: recorded.event.type }),
    divergenceKind,
  });
  working.tree.steps.push(working.tree.happened.length - 1);
  working.tree.agenda.push(working.run.runId);
}
