import { FIRST_LINK, type RunUsage } from '@baton/protocol';
import { extendLink } from '../../audit/sha256.ts';
import { NOTHING_USED, plus } from '../../kernel/budgets/usage.ts';
import { effectsToPerform } from '../../kernel/effects.ts';
import { own } from '../../kernel/graph/own.ts';
import { deadlineOf, hasEffects, isResting } from '../../kernel/rest.ts';
import type { OpenInterrupt, Run } from '../../kernel/run.ts';
import { statusOf } from '../../kernel/status.ts';
import { type Tree, type WorkingRun, workingParent } from '../../kernel/working-run.ts';
import { listedChange } from '../../listed-state.ts';
import { leftWork } from '../../nodes/remote/left-work.ts';
import { FOLD_VERSION } from '../../ports/fold-version.ts';
import type { MemoryChange } from '../../ports/memory.ts';
import type { RemoteCancel } from '../../ports/peers/remote-cancels.ts';
import type { SpentByAgent, SpentOnDay } from '../../ports/reads/spending.ts';
import type { InterruptRecord, RunAdvance, RunRecord, SavedState, Slice, Wake } from '../../ports/store.ts';
import { effectChanges, type Intending } from '../effects/effect-changes.ts';
import { type LoadedTree, noProgress, type StoredProgress } from './loaded-tree.ts';

/**
 * A new saved state is made when the events since the last one are larger than it was. So only few events
 * must be read after it, and saved states are not written too often.
 */
const SMALLEST_TAIL = 64 * 1024;

/** All events since the last slice, as the store takes them. `undefined` when there are none. */
export function takeSlice(loaded: LoadedTree, intending: Intending): Slice | undefined {
  const { tree, stored } = loaded;
  const runs: RunAdvance[] = [];
  const placeOf = new Map<WorkingRun, number>();
  const moved = movedIn(tree);
  // Taken before the stored states are moved on.
  const effects = effectChanges(intending, withUnstored(tree, moved));
  const spent = spentIn(moved, tree.world.now);
  const cancels = leftIn(moved, tree.world.now);
  for (const working of tree.runs.values()) {
    // A run that is not stored yet has no status.
    if (!moved.has(working) && stored.get(working.run.runId)?.status !== undefined) continue;
    const advance = takeAdvance(loaded, working);
    if (advance === undefined) continue;
    placeOf.set(working, runs.length);
    runs.push(advance);
  }
  const memory = takeChanges(loaded);
  const order = runs.length > 1 ? tree.happened.map((working) => placeOf.get(working) ?? 0) : undefined;
  tree.events = 0;
  tree.bytes = 0;
  const { steps } = tree;
  const from = loaded.newestPlace;
  loaded.newestPlace += tree.happened.length;
  tree.happened = [];
  tree.steps = [];
  if (runs.length === 0) return undefined;
  return {
    rootId: tree.rootId,
    from,
    runs,
    ...(order && { order }),
    steps: ascending(steps),
    ...(memory && { memory }),
    ...(effects && { effects }),
    ...(spent && { spent }),
    ...(cancels.length > 0 && { cancels }),
    wake: wakeOf(loaded),
  };
}

/** The work on other hosts that the runs which have ended leave behind. */
function leftIn(moved: Iterable<WorkingRun>, now: number): readonly RemoteCancel[] {
  const cancels: RemoteCancel[] = [];
  for (const { base, run } of moved) {
    const left = base && leftWork(base, run, now);
    if (left) cancels.push(left);
  }
  return cancels;
}

/** The runs that recorded events, and the runs above them, whose status may have changed. */
function movedIn(tree: Tree): ReadonlySet<WorkingRun> {
  const moved = new Set<WorkingRun>();
  for (const working of tree.happened) {
    for (let at: WorkingRun | undefined = working; at !== undefined && !moved.has(at); at = workingParent(at))
      moved.add(at);
  }
  return moved;
}

/** A fork has children under way that recorded nothing yet. Their effects are new with the fork. */
function withUnstored(tree: Tree, moved: ReadonlySet<WorkingRun>): Iterable<WorkingRun> {
  return [...tree.runs.values()].filter((working) => moved.has(working) || working.base === undefined);
}

/**
 * The first events of the steps in ascending order. An inner step is noted before the step that contains it.
 */
function ascending(steps: readonly number[]): readonly number[] {
  const isOrdered = steps.every((place, at) => at === 0 || place > (steps[at - 1] ?? 0));
  return isOrdered ? steps : [...new Set(steps)].sort((one, other) => one - other);
}

function takeChanges({ tree }: LoadedTree): readonly MemoryChange[] | undefined {
  const { changes } = tree;
  if (changes.length === 0) return undefined;
  tree.changes = [];
  return changes;
}

function takeAdvance({ tree, stored }: LoadedTree, working: WorkingRun): RunAdvance | undefined {
  const { run, base, texts } = working;
  const status = statusOf(run, (id) => tree.runs.get(id)?.run);
  const shape = stored.get(run.runId) ?? firstShape(run);
  if (texts.length === 0 && shape.status === status) return undefined;
  for (const text of texts) shape.tailBytes += text.length;
  shape.chain = extendLink(shape.chain, texts);
  const savedState = takeSavedState(run, shape);
  const listed = listedChange(base, run);
  shape.status = status;
  stored.set(run.runId, shape);
  working.base = run;
  working.texts = [];
  return {
    runId: run.runId,
    expectedHead: run.head - texts.length,
    ...(base === undefined && { created: recordOf(working) }),
    events: texts,
    status,
    chain: shape.chain,
    ...(run.goal && { goalMet: run.goal.met }),
    ...(listed && { listed }),
    at: tree.world.now,
    ...(savedState && { savedState }),
    interruptsOpened: opened(base, run),
    interruptsClosed: closed(base, run),
  };
}

/** The hash chain of a fork must continue that of its source. `addFork` has read the link of the source. */
function firstShape({ runId, fork }: Run): StoredProgress {
  if (fork !== undefined && fork.fromSeq > 0) throw new Error(`fork ${runId} lacks the link of its source`);
  return noProgress(FIRST_LINK);
}

function takeSavedState(run: Run, shape: StoredProgress): SavedState | undefined {
  if (shape.tailBytes < Math.max(SMALLEST_TAIL, shape.savedStateBytes)) return undefined;
  const state = JSON.stringify(run);
  shape.tailBytes = 0;
  shape.savedStateBytes = state.length;
  return { sequence: run.head, foldVersion: FOLD_VERSION, state, chain: shape.chain };
}

function recordOf({ run, point }: WorkingRun): RunRecord {
  return {
    runId: run.runId,
    rootId: run.rootId,
    ...(run.parent && { parentRunId: run.parent.runId, parentNodeId: run.parent.nodeId }),
    tenant: run.tenant,
    principal: run.principal,
    workflowId: run.workflowId,
    workflowVersion: run.workflowVersion,
    tags: run.tags,
    createdAt: point?.createdAt ?? run.startedAt,
    ...(run.role && { role: run.role }),
    ...(point && { fork: point.fork }),
  };
}

const NO_RECORDS: readonly InterruptRecord[] = [];
const NO_KEYS: readonly string[] = [];

function opened(base: Run | undefined, run: Run): readonly InterruptRecord[] {
  if (base?.interrupts === run.interrupts) return NO_RECORDS;
  return Object.values(run.interrupts)
    .filter((open) => base?.interrupts[open.key] === undefined)
    .map((open) => recordOfInterrupt(run, open));
}

function closed(base: Run | undefined, run: Run): readonly string[] {
  if (base === undefined || base.interrupts === run.interrupts) return NO_KEYS;
  return Object.keys(base.interrupts).filter((key) => run.interrupts[key] === undefined);
}

function recordOfInterrupt(run: Run, open: OpenInterrupt): InterruptRecord {
  return {
    runId: run.runId,
    interruptId: open.key,
    nodeId: open.nodeId,
    kind: open.request.kind,
    title: titleOf(open),
    requestedAt: open.requestedAt,
    ...(open.expiresAt !== undefined && { expiresAt: open.expiresAt }),
  };
}

function titleOf({ request }: OpenInterrupt): string {
  switch (request.kind) {
    case 'approval':
      return request.data.title;
    case 'clarification':
      return request.data.questions[0]?.question ?? '';
    case 'external-event':
      return request.data.eventType;
    case 'custom':
      return request.data.customKind;
    case 'low-confidence':
      return `${request.data.agentId} is not sure enough (${request.data.observed} < ${request.data.threshold})`;
  }
}

export function wakeOf({ tree }: LoadedTree): Wake {
  let at: number | null = null;
  let unfinished = tree.agenda.length > 0;
  for (const working of tree.runs.values()) {
    const deadline = deadlineOf(working);
    if (deadline !== undefined && (at === null || deadline < at)) at = deadline;
    unfinished ||= hasEffects(working) && effectsToPerform(working).some((one) => !isResting(working, one));
  }
  return { at, unfinished };
}

const DAY_MS = 86_400_000;

/** What the tenant of a tree used between the stored states of its runs and their present states. */
function spentIn(
  runs: Iterable<{ readonly base: Run | undefined; readonly run: Run }>,
  now: number,
): SpentOnDay | undefined {
  let total: RunUsage | undefined;
  let tenant = '';
  const agents = new Map<string, RunUsage>();
  for (const { base, run } of runs) {
    // A state never changes, so most runs are skipped by this comparison.
    if (run.spent === undefined || run.spent === base?.spent) continue;
    const more = countedIn(run, difference(run.spent, base?.spent ?? NOTHING_USED));
    if (more === undefined) continue;
    total = plus(total, more);
    tenant = run.tenant;
    addAgents(agents, base, run);
  }
  if (total === undefined) return undefined;
  return {
    tenant,
    day: Math.floor(now / DAY_MS),
    ...total,
    ...(agents.size > 0 && { agents: [...agents].map(byAgent) }),
  };
}

function addAgents(agents: Map<string, RunUsage>, base: Run | undefined, run: Run): void {
  for (const [agentId, usage] of Object.entries(run.spentBy ?? {})) {
    const before = own(base?.spentBy, agentId);
    if (usage === before) continue;
    const more = countedIn(run, difference(usage, before ?? NOTHING_USED));
    if (more !== undefined) agents.set(agentId, plus(agents.get(agentId), more));
  }
}

function byAgent([agentId, usage]: readonly [string, RunUsage]): SpentByAgent {
  return { agentId, ...usage };
}

/**
 * A replay uses nothing, because it repeats recorded outcomes. Only a replay with `models: "live"` asks the models
 * again. It calls no tools.
 */
function countedIn({ fork }: Run, usage: RunUsage): RunUsage | undefined {
  if (fork?.mode !== 'replay') return usage;
  return fork.models === 'live' ? { ...usage, toolCalls: 0 } : undefined;
}

function difference(after: RunUsage, before: RunUsage): RunUsage {
  const { inputTokens, outputTokens, toolCalls, costUsd } = after;
  return {
    inputTokens: inputTokens - before.inputTokens,
    outputTokens: outputTokens - before.outputTokens,
    toolCalls: toolCalls - before.toolCalls,
    ...(costUsd !== undefined && { costUsd: costUsd - (before.costUsd ?? 0) }),
  };
}
