import { BatonError, isTerminal, type Json, rootRunId, runError } from '@baton/protocol';
import type { RunCommand } from '../commands.ts';
import { wantedByCommands } from '../kernel/memory/shared-scope.ts';
import { nextRecorded } from '../kernel/replay/source.ts';
import { asStep, EventTooLargeError, type Tree, type WorkingRun } from '../kernel/working-run.ts';
import type { Slice } from '../ports/store.ts';
import { applyCommand, refuseEnded } from './apply.ts';
import { isSourceWant, supplySource } from './forks/replay-source.ts';
import { done } from './replies.ts';
import type { Outcome } from './rounds/job.ts';
import type { WorkContext } from './rounds/work-context.ts';
import { lateOutcomeOf } from './secrecy/late-outcome.ts';
import { commandOnHeld } from './trees/held-commands.ts';
import { isForeign, noSuchRun, runOf } from './trees/own-run.ts';
import { failForStorage } from './trees/set-aside.ts';
import { advance, lookAtTree, statusIn, treeAt, wrapUp } from './trees/tree-work.ts';

/** A command on a run that exists: an answer, a cancel, a pause, the outcome of an effect. */

export async function runCommand(context: WorkContext, asked: RunCommand): Promise<Outcome> {
  const { store, held, lookups, room, trees } = context;
  if (held.has(rootRunId(asked.runId))) {
    const { status } = await runOf(store, asked);
    return isTerminal(status) ? commandOnEnded(context, asked) : commandOnHeld(context, asked);
  }
  // Check the tenant first: another tenant must not cause a tree to be loaded, or to be set aside if that
  // fails. A job of the tree's own tenant may be computing a tree that is in memory.
  const cached = trees.get(rootRunId(asked.runId));
  if (cached === undefined) await runOf(store, asked);
  else if (isForeign(cached, asked)) throw noSuchRun(asked.runId);
  const loaded = await treeAt(context, rootRunId(asked.runId));
  const working = loaded.tree.runs.get(asked.runId);
  if (working === undefined || working.run.phase.kind === 'ended') {
    const outcome = await commandOnEnded(context, asked);
    // The run may have ended on another host, and this host may not have been told.
    const isLate = asked.kind === 'effect-outcome';
    return isLate ? { ...outcome, ...(await lookAtTree(context, loaded.tree.rootId)) } : outcome;
  }
  const given = withoutSecrets(context, asked, working.run.tenant);
  if ('caller' in given && given.caller.tenant !== working.run.tenant) throw noSuchRun(asked.runId);
  if (given.kind === 'effect-outcome' && (await room.isFull(working.run.tenant)))
    return failForStorage(context, loaded.tree.rootId);
  for (const want of wantedByCommands(loaded.tree)) await lookups.find(want);
  await readSources(context, loaded.tree);
  const { head, tenant } = working.run;
  try {
    await apply(context, loaded.tree, working, given);
  } catch (problem) {
    return refuseTooLarge(context, problem, given);
  }
  const recorded = working.run.head > head;
  await advance(context, loaded);
  const reply = done({ kind: 'run', runId: given.runId, status: statusIn(loaded.tree, given.runId) });
  const outcome = wrapUp(context, loaded, reply, given);
  // A model's answer to a sensitive run is not kept for other runs.
  const keeps = recorded && working.plan.sensitivity === undefined;
  return keeps ? withModelAnswer(outcome, given, tenant, loaded.tree.world.now) : outcome;
}

/**
 * A command is applied at once, so the replays of the tree must know before whether the logs of their sources
 * go on. At the end of such a log a replay has a memory of its own. A tree that was just loaded has read
 * nothing of its sources yet.
 */
async function readSources({ store, workflows }: WorkContext, tree: Tree): Promise<void> {
  for (;;) {
    for (const working of tree.runs.values()) nextRecorded(working);
    const missing = tree.wanted.splice(0).filter(isSourceWant);
    if (missing.length === 0) return;
    for (const want of missing) await supplySource(store, workflows, tree, want);
  }
}

/**
 * Applies the command. A replay compares the outcome with its source and may have to read more of it first.
 */
async function apply(
  context: WorkContext,
  tree: Tree,
  working: WorkingRun,
  given: RunCommand,
): Promise<void> {
  const { store, workflows } = context;
  asStep(tree, () => applyCommand(working, given, context.opened));
  if (given.kind !== 'effect-outcome') return;
  const missing = tree.wanted.filter(isSourceWant);
  if (missing.length === 0) return;
  tree.wanted.length = 0;
  for (const want of missing) await supplySource(store, workflows, tree, want);
  await apply(context, tree, working, given);
}

/** The outcome of an effect without secrets. It must not be used or stored before they are removed. */
function withoutSecrets(context: WorkContext, given: RunCommand, tenant: string): RunCommand {
  const { vault } = context;
  const redactor = given.kind === 'effect-outcome' ? vault.redactor(tenant) : undefined;
  if (redactor === undefined || given.kind !== 'effect-outcome') return given;
  const outcome = redactor.redactJson(given.outcome as unknown as Json) as unknown as typeof given.outcome;
  return { ...given, outcome };
}

/** The given value does not fit into an event. The command is refused; an effect counts as failed. */
function refuseTooLarge(context: WorkContext, problem: unknown, given: RunCommand): Promise<Outcome> {
  const { trees } = context;
  if (!(problem instanceof EventTooLargeError)) throw problem;
  trees.evict(rootRunId(given.runId));
  if (given.kind !== 'effect-outcome') throw new BatonError('payload_too_large', problem.message);
  const error = runError('event_too_large', problem.message);
  // Another try would most likely bring as much.
  return runCommand(context, { ...given, outcome: { kind: 'failed', error, retryable: false } });
}

async function commandOnEnded(context: WorkContext, given: RunCommand): Promise<Outcome> {
  const { store, clock, vault, workflows, replies } = context;
  const row = await runOf(store, given);
  refuseEnded(given, row.status);
  const now = clock.now();
  const reply = done({ kind: 'run', runId: given.runId, status: row.status });
  if (given.kind === 'effect-outcome') {
    const late = await lateOutcomeOf({ store, workflows, vault }, given, now);
    return { reply, ...(late && { slice: { rootId: row.rootId, runs: [], ...late } }) };
  }
  const idempotency = replies.remember(given, reply, now);
  return { reply, ...(idempotency && { slice: { rootId: row.rootId, runs: [], idempotency } }) };
}

/** Keeps the answer of a model for other runs of the tenant. It is stored in the slice of its outcome. */
function withModelAnswer<Outcome extends { readonly slice?: Slice }>(
  outcome: Outcome,
  command: RunCommand,
  tenant: string,
  at: number,
): Outcome {
  if (command.kind !== 'effect-outcome' || command.outcome.kind !== 'done') return outcome;
  const { keep } = command.outcome;
  if (keep === undefined || outcome.slice === undefined) return outcome;
  return { ...outcome, slice: { ...outcome.slice, modelAnswer: { tenant, ...keep, at } } };
}
