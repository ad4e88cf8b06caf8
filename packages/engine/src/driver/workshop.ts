import { BatonError, CreateRun, type Json, parse, rootRunId, runError } from '@baton/protocol';
import type { SigningKey } from '../audit/signing-key.ts';
import type { Command, CreateRunCommand, Reply, RunCommand } from '../commands.ts';
import { advanceTree } from '../kernel/advance.ts';
import { problemWithInputs, startRun } from '../kernel/create.ts';
import { pendingEffects } from '../kernel/effects.ts';
import { statusOf } from '../kernel/status.ts';
import { EventTooLargeError, type Tree, type World } from '../kernel/turn.ts';
import type { Clock, Ids } from '../ports/clock.ts';
import type { Effect } from '../ports/effects.ts';
import { type Slice, StorageFullError, type Store } from '../ports/store.ts';
import { applyCommand, refuseEnded } from './apply.ts';
import { eraseRun } from './erase-run.ts';
import { importRun } from './import-run.ts';
import type { HostLimits } from './limits.ts';
import { emptyTree, forgetEnded, type LoadedTree, loadTree } from './loaded-tree.ts';
import { DEFECT, quarantineSlice } from './quarantine.ts';
import { registerWorkflow } from './register.ts';
import { checkReplay } from './replay-check.ts';
import { done, refused, repliesOf } from './replies.ts';
import { takeSlice, wakeOf } from './slice.ts';
import { togglesOf } from './toggles.ts';
import { treeCache } from './tree-cache.ts';
import { workflowsOf } from './workflows.ts';

/** Where one job becomes one slice. Keeps the trees that are in use; knows nothing of queues and commits. */

export type Job =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'tree'; readonly rootId: string };

export interface Outcome {
  /** To be given once the slice is durable. */
  readonly reply?: Reply;
  readonly slice?: Slice;
  /** The tree has more to do and waits for its next turn. */
  readonly unfinished?: string;
  readonly effects?: readonly Effect[];
}

export interface Workshop {
  work(job: Job, alone: boolean): Promise<Outcome>;
  /** Forgets a tree, so that it is loaded again from what is stored. */
  evict(rootId: string): void;
  roundEnded(): void;
}

export interface WorkshopOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: HostLimits;
  readonly alwaysReplay: boolean;
  readonly auditKey?: SigningKey | undefined;
  readonly log: (level: 'warn' | 'error', message: string, fields: Record<string, unknown>) => void;
}

/** The share of a tree before others have a turn; a tree that is alone may go on longer. */
const SHARE = { events: 256, bytes: 256 * 1024, ms: 4 };
const ALONE = { events: 512, bytes: 512 * 1024, ms: 4 };

export function workshopOf(options: WorkshopOptions): Workshop {
  const { store, clock, ids, limits, alwaysReplay, auditKey, log } = options;
  const workflows = workflowsOf(store);
  const toggles = togglesOf();
  const replies = repliesOf(store);
  const trees = treeCache();
  const provides: ReadonlySet<string> = new Set();

  function worldAt(now: number): World {
    return {
      now,
      timestamp: new Date(now).toISOString(),
      limits,
      maxDepth: limits.maxDepth,
      maxEventBytes: limits.eventBytes,
      confidenceFloor: limits.confidenceFloor,
      chainEvents: toggles.isOn('multiAgent.executionModel'),
      provides,
      workflow: (tenant, id) => workflows.known(tenant, id),
    };
  }

  /** Time never runs backwards within a tree, whatever the machine's clock does. */
  function timeFor(loaded: LoadedTree): void {
    let now = clock.now();
    for (const { run } of loaded.tree.turns.values()) now = Math.max(now, run.at);
    loaded.tree.world = worldAt(now);
  }

  async function treeAt(rootId: string): Promise<LoadedTree> {
    const cached = trees.get(rootId);
    const loaded = cached ?? (await loadTree(store, workflows, rootId, worldAt(clock.now())));
    trees.keep(rootId, loaded);
    timeFor(loaded);
    return loaded;
  }

  async function advance({ tree }: LoadedTree, alone: boolean): Promise<void> {
    const share = alone ? ALONE : SHARE;
    const until = performance.now() + share.ms;
    const spent = (t: Tree) =>
      t.events >= share.events || t.bytes >= share.bytes || performance.now() >= until;
    while (advanceTree(tree, spent) === 'wanting') {
      const tenant = [...tree.turns.values()][0]?.run.tenant ?? '';
      for (const id of tree.wanted) await workflows.newest(tenant, id);
      tree.wanted.clear();
    }
  }

  /** Turns what happened in the tree into an outcome, and lets go of what has ended. */
  function wrapUp(loaded: LoadedTree, reply?: Reply, command?: Command): Outcome {
    const { tree } = loaded;
    if (alwaysReplay) checkReplay(tree);
    const unfinished = tree.agenda.length > 0 ? tree.rootId : undefined;
    const effects = effectsOfTree(tree);
    const taken = takeSlice(loaded);
    const idempotency = reply && command && replies.remember(command, reply, tree.world.now);
    const slice =
      taken || idempotency
        ? { ...(taken ?? { rootId: tree.rootId, runs: [] }), ...(idempotency && { idempotency }) }
        : undefined;
    forgetEnded(loaded);
    if (tree.turns.size === 0) trees.evict(tree.rootId);
    return { ...(reply && { reply }), ...(slice && { slice }), ...(unfinished && { unfinished }), effects };
  }

  async function create(command: CreateRunCommand, alone: boolean): Promise<Outcome> {
    const { caller } = command;
    const body = parse(CreateRun, command.body, 'run');
    const workflow = await workflows.newest(caller.tenant, body.workflowId);
    if (workflow === undefined) {
      throw new BatonError('not_found', `No workflow "${body.workflowId}" is registered.`, {
        field: 'workflowId',
      });
    }
    const inputs = body.inputs ?? {};
    const problem = problemWithInputs(workflow.plan.definition, inputs);
    if (problem)
      throw new BatonError('validation_error', `run: ${problem.field} ${problem.problem}`, { ...problem });
    const now = clock.now();
    const runId = ids.rootRunId(now);
    const loaded = emptyTree(runId, worldAt(now));
    startRun(loaded.tree, {
      runId,
      workflow,
      tenant: caller.tenant,
      principal: caller.principal,
      ...(command.scopes && { scopes: command.scopes }),
      inputs,
      ...(body.configurable && { configurable: body.configurable as Record<string, Json> }),
      ...(body.tags && { tags: body.tags }),
      ...(body.metadata && { metadata: body.metadata }),
      ...(body.scopeId && { scopeId: body.scopeId }),
      ...(command.traceparent && { traceparent: command.traceparent }),
    });
    await advance(loaded, alone);
    trees.keep(runId, loaded);
    return wrapUp(loaded, done({ kind: 'run', runId, status: statusIn(loaded.tree, runId) }), command);
  }

  async function command(given: RunCommand, alone: boolean): Promise<Outcome> {
    const loaded = await treeAt(rootRunId(given.runId));
    const turn = loaded.tree.turns.get(given.runId);
    if (turn === undefined || turn.run.phase.kind === 'ended') return commandOnEnded(given);
    if ('caller' in given && given.caller.tenant !== turn.run.tenant) throw new BatonError('not_found');
    try {
      applyCommand(turn, given);
    } catch (problem) {
      return tooLarge(problem, given, alone);
    }
    await advance(loaded, alone);
    const reply = done({ kind: 'run', runId: given.runId, status: statusIn(loaded.tree, given.runId) });
    return wrapUp(loaded, reply, given);
  }

  /** What came from outside does not fit into an event. Nothing of it stays; an effect counts as failed then. */
  function tooLarge(problem: unknown, given: RunCommand, alone: boolean): Promise<Outcome> {
    if (!(problem instanceof EventTooLargeError)) throw problem;
    trees.evict(rootRunId(given.runId));
    if (given.kind !== 'effect-outcome') throw new BatonError('payload_too_large', problem.message);
    const error = runError('event_too_large', problem.message);
    return command({ ...given, outcome: { kind: 'failed', error } }, alone);
  }

  async function commandOnEnded(given: RunCommand): Promise<Outcome> {
    const row = await store.run(given.runId);
    if (row === undefined || ('caller' in given && row.tenant !== given.caller.tenant)) {
      throw new BatonError('not_found', 'There is no such run.');
    }
    refuseEnded(given, row.status);
    const now = clock.now();
    const reply = done({ kind: 'run', runId: given.runId, status: row.status });
    if (given.kind === 'effect-outcome') {
      const lateOutcome = {
        key: given.key,
        runId: given.runId,
        outcome: given.outcome as unknown as Json,
        at: now,
      };
      return { reply, slice: { rootId: row.rootId, runs: [], lateOutcome } };
    }
    const idempotency = replies.remember(given, reply, now);
    return { reply, ...(idempotency && { slice: { rootId: row.rootId, runs: [], idempotency } }) };
  }

  async function handle(given: Command, alone: boolean): Promise<Outcome> {
    const earlier = await replies.earlier(given);
    if (earlier) return { reply: earlier };
    switch (given.kind) {
      case 'create-run':
        return create(given, alone);
      case 'register-workflow':
        return registerWorkflow({ store, workflows, toggles }, given, clock.now());
      case 'import-run': {
        const outcome = await importRun({ store, toggles }, given);
        const idempotency = outcome.reply && replies.remember(given, outcome.reply, clock.now());
        return { ...outcome, slice: { ...outcome.slice, ...(idempotency && { idempotency }) } };
      }
      case 'erase-run': {
        const outcome = await eraseRun({ store, key: auditKey, now: clock.now() }, given);
        trees.evict(given.runId);
        const idempotency = outcome.reply && replies.remember(given, outcome.reply, clock.now());
        return { ...outcome, ...(idempotency && { slice: { rootId: given.runId, runs: [], idempotency } }) };
      }
      case 'toggle-capability':
        return { reply: done({ kind: 'overlay', overlay: toggles.set(given.name, given.value) }) };
      default:
        return command(given, alone);
    }
  }

  async function continueTree(rootId: string, alone: boolean): Promise<Outcome> {
    const loaded = await treeAt(rootId);
    for (const runId of loaded.tree.turns.keys()) {
      if (!loaded.tree.agenda.includes(runId)) loaded.tree.agenda.unshift(runId);
    }
    await advance(loaded, alone);
    const outcome = wrapUp(loaded);
    // Nothing happened, so the stored deadline is out of date: without a new one it would ring for ever.
    return outcome.slice ? outcome : { ...outcome, slice: { rootId, runs: [], wake: wakeOf(loaded) } };
  }

  /** A refusal is an answer; anything else is a defect of this tree and must not reach the others. */
  async function setAside(rootId: string | undefined, problem: unknown): Promise<Outcome> {
    const message = problem instanceof Error ? problem.message : String(problem);
    log('error', 'a run was set aside', {
      rootId,
      problem: message,
      stack: problem instanceof Error ? problem.stack : undefined,
    });
    if (rootId === undefined) return { reply: refused(DEFECT) };
    trees.evict(rootId);
    const slice = await quarantineSlice(store, rootId, clock.now());
    return { reply: refused(DEFECT), ...(slice && { slice }) };
  }

  return {
    async work(job, alone) {
      try {
        return await (job.kind === 'tree' ? continueTree(job.rootId, alone) : handle(job.command, alone));
      } catch (problem) {
        if (problem instanceof BatonError) return { reply: refused(problem.body()) };
        if (problem instanceof StorageFullError) {
          return { reply: refused(new BatonError('storage_full').body()) };
        }
        if (problem instanceof EventTooLargeError && job.kind === 'command') {
          return { reply: refused(new BatonError('payload_too_large', problem.message).body()) };
        }
        return setAside(rootOf(job), problem);
      }
    },
    evict: trees.evict,
    roundEnded: replies.roundEnded,
  };
}

function rootOf(job: Job): string | undefined {
  if (job.kind === 'tree') return job.rootId;
  return 'runId' in job.command ? rootRunId(job.command.runId) : undefined;
}

function statusIn(tree: Tree, runId: string) {
  const turn = tree.turns.get(runId);
  return turn ? statusOf(turn.run, (id) => tree.turns.get(id)?.run) : 'running';
}

function effectsOfTree(tree: Tree): readonly Effect[] {
  const found: Effect[] = [];
  for (const { run } of tree.turns.values()) {
    for (const effect of pendingEffects(run)) found.push({ ...effect, tenant: run.tenant, runId: run.runId });
  }
  return found;
}
