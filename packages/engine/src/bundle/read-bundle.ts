import {
  BatonError,
  type BundledRun,
  type BundledTree,
  DebugBundle,
  EVENT_PAYLOADS,
  eventId,
  FIRST_LINK,
  isTerminal,
  parse,
  problemWith,
  type RunEvent,
  RunEventSchema,
  rootRunId,
} from '@baton/protocol';
import { extendLink, sha256 } from '../audit/sha256.ts';
import { foldStored } from '../fold.ts';
import { endStatus, type Run } from '../kernel/run.ts';
import type { ForkPoint, RunRow } from '../ports/store.ts';

/**
 * Looks through a bundle before anything of it is stored: whole, of this form, every event of its schema and in
 * its place, every log leading to the link that it came with, and to the status that it claims.
 */

export interface ReadRun {
  readonly run: BundledRun;
  /** The run's own events, as they will be stored. */
  readonly texts: readonly string[];
  /** The link before and after them: as it was where they come from, and over the texts as they are now. */
  readonly original: string | undefined;
  readonly before: string;
  readonly after: string;
}

export interface ReadBundle {
  readonly rootId: string;
  readonly tree: BundledTree;
  /** Sources before the runs that share them. */
  readonly runs: readonly ReadRun[];
  /** Every log had a chain, and nothing in it was masked. */
  readonly verified: boolean;
}

export function readBundle(body: unknown): ReadBundle {
  const bundle = parse(DebugBundle, body, 'bundle');
  const { baton: tree, run, truncated } = bundle;
  if (tree === undefined)
    throw refused('was not written by a Baton, and does not hold enough to rebuild the run');
  if (truncated) throw refused('was cut off because the run is too large');
  const byId = new Map(tree.runs.map((one) => [one.runId, one]));
  const main = byId.get(run.runId);
  if (main === undefined || byId.size !== tree.runs.length)
    throw refused('does not say which run it is about');
  if (main.rootId !== main.runId)
    throw refused(`is of a child; take the one of ${main.rootId}`, { rootId: main.rootId });

  const read = new Map<string, ReadRun>();
  const visit = (one: BundledRun, depth: number): void => {
    if (read.has(one.runId)) return;
    if (depth > tree.runs.length) throw refused('has runs that were forked from each other');
    if (one.fork !== undefined && one.fork.fromSeq > 0) {
      const source = byId.get(one.fork.sourceRunId);
      if (source === undefined)
        throw refused(`lacks run ${one.fork.sourceRunId}, which ${one.runId} was forked from`);
      visit(source, depth + 1);
    }
    checkPlace(one, main.runId, byId);
    const texts = textsOf(
      one,
      one === main ? bundle.events.slice(one.fork?.fromSeq ?? 0) : (one.events ?? []),
    );
    read.set(one.runId, linked(one, texts, read));
  };
  for (const one of tree.runs) visit(one, 0);
  const runs = [...read.values()];
  for (const one of runs) checkState(one, read);
  const verified = runs.every(
    ({ run: { chain, masked = [] } }) => chain !== undefined && masked.length === 0,
  );
  return { rootId: main.runId, tree, runs, verified };
}

function refused(how: string, details?: Record<string, unknown>): BatonError {
  return new BatonError('bundle_invalid', `The bundle ${how}.`, details);
}

function checkPlace(run: BundledRun, mainId: string, byId: ReadonlyMap<string, BundledRun>): void {
  const { runId, rootId, parentRunId, part, status } = run;
  if (rootId !== rootRunId(runId)) throw refused(`says that ${rootId} is the root of ${runId}`);
  if (part === 'tree' && rootId !== mainId) throw refused(`holds ${runId}, which is of another tree`);
  if (!isTerminal(status)) {
    throw refused(`holds run ${runId}, which has not ended; fork it where it is, or take the bundle later`, {
      runId,
      runStatus: status,
    });
  }
  const parent = runId === rootId ? undefined : runId.slice(0, runId.lastIndexOf('.'));
  if (parentRunId !== parent) throw refused(`says that ${parentRunId} is the parent of ${runId}`);
  if (part === 'tree' && parent !== undefined && !byId.has(parent)) throw refused(`lacks run ${parent}`);
}

/** The events as texts again. Every one is of its schema, and where it says it is. */
function textsOf(run: BundledRun, events: readonly object[]): readonly string[] {
  const from = run.fork?.fromSeq ?? 0;
  if (run.places.length !== events.length)
    throw refused(`does not say where the events of ${run.runId} belong`);
  return events.map((given, index) => {
    const sequence = from + index;
    const event = parse(
      RunEventSchema,
      given,
      `bundle: event ${sequence} of ${run.runId}`,
    ) as unknown as RunEvent;
    const id = eventId(run.runId, sequence);
    if (event.eventId !== id || event.runId !== run.runId || event.sequence !== sequence) {
      throw refused(`has ${event.eventId} in the place of ${id}`);
    }
    const problem = problemWith(EVENT_PAYLOADS[event.type], event.payload);
    if (problem)
      throw refused(`has an event that is not of its schema: ${id}: ${problem.field} ${problem.problem}`);
    return JSON.stringify(event);
  });
}

/** Follows the chain over the texts, and over what was masked in them by the links that came with it. */
function linked(run: BundledRun, texts: readonly string[], read: ReadonlyMap<string, ReadRun>): ReadRun {
  const from = run.fork?.fromSeq ?? 0;
  const source = from === 0 ? undefined : sharedPart(read, run.fork?.sourceRunId ?? '', from);
  const links = new Map(run.masked?.map(({ sequence, link }) => [sequence, link]));
  const before = source?.link ?? FIRST_LINK;
  let original = source === undefined ? FIRST_LINK : source.original;
  for (const [index, text] of texts.entries()) {
    original = links.get(from + index) ?? (original === undefined ? undefined : sha256(original + text));
  }
  if (run.chain !== undefined && original !== run.chain) {
    throw refused(`was changed: the events of run ${run.runId} do not lead to its link`, {
      runId: run.runId,
    });
  }
  return { run, texts, original, before, after: extendLink(before, texts) };
}

interface SharedPart {
  readonly texts: readonly string[];
  readonly points: readonly ForkPoint[];
  /** The link after them, over the texts as they are. */
  readonly link: string;
  /** The same where they come from; undefined when it is not known. */
  readonly original: string | undefined;
}

/** A run's log up to an index, whoever wrote it. */
function sharedPart(read: ReadonlyMap<string, ReadRun>, runId: string, to: number): SharedPart {
  const found = read.get(runId);
  if (found === undefined) throw refused(`lacks run ${runId}`);
  const { run, texts } = found;
  const from = run.fork?.fromSeq ?? 0;
  if (run.fork !== undefined && from > 0 && to <= from) return sharedPart(read, run.fork.sourceRunId, to);
  if (to > from + texts.length) throw refused(`lacks the end of run ${runId}`);
  const base = from === 0 ? undefined : sharedPart(read, run.fork?.sourceRunId ?? '', from);
  const own = texts.slice(0, to - from);
  const whole = own.length === texts.length;
  return {
    texts: [...(base?.texts ?? []), ...own],
    points: [...(base?.points ?? []), ...pointOf(run)],
    link: extendLink(base?.link ?? FIRST_LINK, own),
    original: whole ? found.original : originalAt(run, base?.original ?? FIRST_LINK, from, own),
  };
}

function originalAt(run: BundledRun, start: string, from: number, texts: readonly string[]): string {
  const links = new Map(run.masked?.map(({ sequence, link }) => [sequence, link]));
  return texts.reduce((link, text, index) => links.get(from + index) ?? sha256(link + text), start);
}

function pointOf({ runId, parentRunId, createdAt, fork }: BundledRun): readonly ForkPoint[] {
  return fork === undefined
    ? []
    : [{ runId, createdAt, fork, ...(parentRunId !== undefined && { parentRunId }) }];
}

/** What nobody can fold, or what folds to something else than it claims, would be of no use here. */
function checkState({ run, texts }: ReadRun, read: ReadonlyMap<string, ReadRun>): void {
  const { runId, part, status, workflowId, parentRunId } = run;
  // Shared up to where it was itself forked: it says nothing of its own.
  if (texts.length === 0 && part === 'source') return;
  const head = (run.fork?.fromSeq ?? 0) + texts.length;
  const log = sharedPart(read, runId, head);
  let state: Run;
  try {
    state = foldStored({ row: rowOf(run, '', head), tail: log.texts, forks: log.points });
  } catch {
    throw refused(`holds a log of run ${runId} that makes no sense`);
  }
  if (state.runId !== runId || state.head !== head || state.workflowId !== workflowId) {
    throw refused(`holds a log of run ${runId} that is of another run`);
  }
  if (part === 'tree' && (endStatus(state) !== status || state.parent?.runId !== parentRunId)) {
    throw refused(`holds a log of run ${runId} that does not end as it says`);
  }
}

export function rowOf(run: BundledRun, tenant: string, head: number): RunRow {
  const { runId, rootId, principal, workflowId, workflowVersion, tags, createdAt, status, updatedAt } = run;
  return {
    runId,
    rootId,
    ...(run.parentRunId !== undefined && { parentRunId: run.parentRunId }),
    ...(run.parentNodeId !== undefined && { parentNodeId: run.parentNodeId }),
    tenant,
    principal,
    workflowId,
    workflowVersion,
    tags,
    createdAt,
    status,
    updatedAt,
    head,
    ...(run.role !== undefined && { role: run.role }),
    ...(run.goalMet !== undefined && { goalMet: run.goalMet }),
    ...(run.fork !== undefined && { fork: run.fork }),
  };
}
