import type { Slice, SliceResult } from '@baton/engine';
import type { RunAdvance } from '@baton/engine/ports';
import { isTerminal, rootRunId, type WorkflowDefinition } from '@baton/protocol';
import { type BookedRun, bookRun, extendRun } from './booked-run.ts';

/**
 * A second book of what the store has accepted, kept from the slices alone. Each commit is compared with it
 * and entered, so that a slice which should have been refused is noticed when it is stored.
 */
export interface Ledger {
  /** Returns what is wrong with the answers of the store. `alone`: one host writes. */
  enter(
    slices: readonly Slice[],
    results: readonly SliceResult[],
    injected: ReadonlySet<Slice>,
    alone: boolean,
  ): readonly string[];
  /** All runs, in the order in which they were created. */
  runs(): readonly BookedRun[];
  run(runId: string): BookedRun | undefined;
  childrenOf(runId: string): readonly BookedRun[];
  /** The stored reply to a request with this key. */
  replyFor(principal: string, key: string): string | undefined;
  /** Runs can be started with this definition from now on. */
  learn(digest: string, definition: WorkflowDefinition): void;
}

export function ledgerOf(known: Iterable<readonly [string, WorkflowDefinition]> = []): Ledger {
  const definitions = new Map(known);
  const runs = new Map<string, BookedRun>();
  const children = new Map<string, BookedRun[]>();
  const places = new Map<string, number>();
  const replies = new Map<string, string>();
  const find = (runId: string) => runs.get(runId);
  const childrenOf = (runId: string) => children.get(runId) ?? [];

  function create({ created }: RunAdvance): readonly string[] {
    if (created === undefined) return [];
    if (runs.has(created.runId)) return ['was created twice'];
    const run = bookRun(created, find, definitions);
    runs.set(created.runId, run);
    const { parentRunId } = created;
    if (parentRunId !== undefined) children.set(parentRunId, [...childrenOf(parentRunId), run]);
    return [];
  }

  function advance(rootId: string, one: RunAdvance): readonly string[] {
    const problems = [...create(one)];
    const run = runs.get(one.runId);
    if (run === undefined) return ['has events, and was never created'];
    if (run.record.rootId !== rootId) problems.push(`was changed by a slice of ${rootId}`);
    return [...problems, ...extendRun(run, find, one)];
  }

  /** A child that its parent waits for has not outlived the node that waits. */
  function orphans(runId: string): readonly string[] {
    const parent = runs.get(runId);
    if (parent === undefined) return [];
    const left = childrenOf(runId).filter(
      (child) => !isTerminal(child.status) && !mayGoOnAlone(parent, child) && !isAwaited(parent, child),
    );
    return left.map(
      (child) => `${child.record.runId} is ${child.status}, and its parent does not wait for it`,
    );
  }

  function place({ rootId, from, runs: moved, wake }: Slice): readonly string[] {
    const at = places.get(rootId);
    if (from === undefined || (moved.length === 0 && wake === undefined)) return [];
    places.set(rootId, from + moved.reduce((sum, { events }) => sum + events.length, 0));
    if (at === undefined || at === from) return [];
    return [`a slice of ${rootId} was stored that goes on from ${from}, and the tree is at ${at}`];
  }

  function enter(slice: Slice): readonly string[] {
    const { rootId, runs: moved, memory = [], idempotency } = slice;
    const problems = [...place(slice)];
    for (const one of moved)
      problems.push(...advance(rootId, one).map((problem) => `${one.runId}: ${problem}`));
    for (const { runId } of moved) problems.push(...orphans(runId));
    for (const { scope } of memory) {
      if (scope.startsWith(PRIVATE) && rootRunId(scope.slice(PRIVATE.length)) !== rootId)
        problems.push(`a slice of ${rootId} wrote to the memory ${scope}`);
    }
    if (idempotency) replies.set(`${idempotency.principal} ${idempotency.key}`, idempotency.reply);
    return problems;
  }

  /** A host that is alone never computes from a state that is past: no other host moves its trees. */
  function stale({ rootId, from }: Slice): readonly string[] {
    const at = places.get(rootId);
    if (from === undefined || at === undefined || from === at) return [];
    return [`a slice of ${rootId} was computed from ${from}, and the tree was at ${at}`];
  }

  return {
    enter: (slices, results, injected, alone) =>
      slices.flatMap((slice, at) => {
        const result = results[at];
        if (result === 'committed') return enter(slice);
        if (typeof result === 'object')
          return [`a slice of ${slice.rootId} was refused: ${JSON.stringify(result)}`];
        return alone && !injected.has(slice) ? stale(slice) : [];
      }),
    runs: () => [...runs.values()],
    run: find,
    childrenOf,
    replyFor: (principal, key) => replies.get(`${principal} ${key}`),
    learn: (digest, definition) => void definitions.set(digest, definition),
  };
}

const PRIVATE = 'run:';

/** A node may be told to let its child go on when the parent is stopped, or not to wait for it at all. */
function mayGoOnAlone(parent: BookedRun, child: BookedRun): boolean {
  const node = parent.watch.definition()?.nodes.find(({ id }) => id === child.record.parentNodeId);
  const { propagateCancellation, waitForCompletion } = (node?.config ?? {}) as Record<string, unknown>;
  return propagateCancellation === false || waitForCompletion === false;
}

function isAwaited(parent: BookedRun, { record }: BookedRun): boolean {
  return !isTerminal(parent.status) && parent.state?.nodes[record.parentNodeId ?? '']?.status === 'running';
}
