import {
  BatonError,
  CreateRun,
  type ErrorBody,
  type Json,
  parse,
  rootRunId,
  runError,
} from '@baton/protocol';
import type { SigningKey } from '../audit/signing-key.ts';
import { waitingFor } from '../bundle/import-slices.ts';
import type {
  Command,
  CreateRunCommand,
  ForkCommand,
  ReleaseRunCommand,
  Reply,
  RetryCommand,
  RunCommand,
} from '../commands.ts';
import { advanceTree } from '../kernel/advance.ts';
import { type NewRun, problemWithInputs, refuseTooLarge, startRun } from '../kernel/create.ts';
import { effectsToPerform } from '../kernel/effects.ts';
import { wantedByCommands } from '../kernel/memory/shared-scope.ts';
import { followTree } from '../kernel/replay/follow.ts';
import { isReplay } from '../kernel/replay/source.ts';
import { hasEffects } from '../kernel/rest.ts';
import type { Vault } from '../kernel/secrecy/vault.ts';
import { statusOf } from '../kernel/status.ts';
import { asStep, EventTooLargeError, type Tree, type Turn, type World } from '../kernel/turn.ts';
import { PRODUCT_NODES } from '../nodes/index.ts';
import type { Clock, Ids } from '../ports/clock.ts';
import type { Effect } from '../ports/effects.ts';
import { type Slice, StorageFullError, type Store } from '../ports/store.ts';
import { applyCommand, refuseEnded } from './apply.ts';
import { asksAgain } from './asks-again.ts';
import { type Conformance, refuseSeamCommands } from './conformance.ts';
import { eraseRun } from './erase-run.ts';
import { forkRun } from './fork-run.ts';
import { startersBefore } from './fork-starters.ts';
import { retryOf, wishesOf } from './fork-wishes.ts';
import type { HeldTrees } from './held-trees.ts';
import { dropArriving, importPart } from './import-run.ts';
import type { HostLimits } from './limits.ts';
import { emptyTree, forgetEnded, type LoadedTree, loadTree, lookAtDue } from './loaded-tree.ts';
import { lookupsOf, namedScope } from './lookups.ts';
import { withModelAnswer } from './model-answer.ts';
import { noSuchRun, ownRun, runOf } from './own-run.ts';
import { DEFECT, quarantineSlice } from './quarantine.ts';
import { registerWorkflow } from './register.ts';
import { checkReplay } from './replay-check.ts';
import { isSourceWant, supplySource } from './replay-source.ts';
import { done, refused, repliesOf } from './replies.ts';
import { lateOutcomeOf } from './secrecy/late-outcome.ts';
import { slicesStored, takeSlice, wakeOf } from './slice.ts';
import { storageRoomOf } from './storage-room.ts';
import { ALL_ON } from './toggles.ts';
import { treeCache } from './tree-cache.ts';
import { workflowsOf } from './workflows.ts';
import { deleteFile, putFile } from './workspace.ts';

/** Where one job becomes one slice. Keeps the trees that are in use; knows nothing of queues and commits. */

export type Job =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'tree'; readonly rootId: string }
  /** The store can never keep what this tree wants to record. */
  | { readonly kind: 'set-aside'; readonly rootId: string; readonly reason: string };

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
  /** The tree of the job did something in this round and is no longer in memory: it can be loaded once that is stored. */
  mustWait(job: Job): boolean;
  /** Forgets a tree, so that it is loaded again from what is stored. */
  evict(rootId: string): void;
  /** These slices were stored, or refused. */
  roundEnded(slices: readonly Slice[]): void;
}

export interface WorkshopOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: HostLimits;
  readonly vault: Vault;
  readonly alwaysReplay: boolean;
  readonly auditKey?: SigningKey | undefined;
  readonly held: HeldTrees;
  readonly conformance?: Conformance | undefined;
  /** For every tree, in place of the usual one. */
  readonly share?: Share;
  readonly log: (level: 'warn' | 'error', message: string, fields: Record<string, unknown>) => void;
}

/** How much a tree may do before others have a turn. */
export interface Share {
  readonly events: number;
  readonly bytes: number;
  readonly ms: number;
}

/** A tree that is alone may go on longer. */
const SHARE: Share = { events: 256, bytes: 256 * 1024, ms: 4 };
const ALONE: Share = { events: 512, bytes: 512 * 1024, ms: 4 };

export function workshopOf(options: WorkshopOptions): Workshop {
  const { store, clock, ids, limits, vault, alwaysReplay, auditKey, held, conformance, log } = options;
  const nodes = conformance?.nodes ?? PRODUCT_NODES;
  const workflows = workflowsOf(store, nodes);
  const lookups = lookupsOf(store, workflows);
  const switched = conformance?.toggles();
  const toggles = switched ?? ALL_ON;
  const replies = repliesOf(store);
  const room = storageRoomOf(store, limits.tenantBytes);
  const trees = treeCache();
  const thisRound = new Map<string, Tree>();
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
      asksAgain,
      transcriptWindow: limits.transcriptWindow,
      ...lookups.known,
      secret: vault.secret,
      redactor: vault.redactor,
      seal: vault.seal,
      opens: vault.opens,
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
    const share = options.share ?? (alone ? ALONE : SHARE);
    const until = performance.now() + share.ms;
    // The first step is taken in any case, so that a tree gets on however little time it is given.
    let asked = 0;
    const spent = (t: Tree) =>
      asked++ > 0 && (t.events >= share.events || t.bytes >= share.bytes || performance.now() >= until);
    const go = isReplay(tree) ? followTree : advanceTree;
    while (go(tree, spent) === 'wanting') {
      for (const want of tree.wanted.splice(0)) {
        if (isSourceWant(want)) await supplySource(store, workflows, tree, want);
        else await lookups.find(want);
      }
    }
  }

  /** Turns what happened in the tree into an outcome, and lets go of what has ended. */
  function wrapUp(loaded: LoadedTree, reply?: Reply, command?: Command): Outcome {
    const { tree } = loaded;
    if (alwaysReplay) checkReplay(tree);
    for (const replaced of tree.replaced.splice(0)) {
      log('warn', 'half of a character was replaced by U+FFFD, since no store can hold it', { ...replaced });
    }
    const unfinished = tree.agenda.length > 0 ? tree.rootId : undefined;
    const effects = effectsOfTree(tree);
    const taken = takeSlice(loaded);
    if (taken) thisRound.set(tree.rootId, tree);
    const idempotency = reply && command && replies.remember(command, reply, tree.world.now);
    const slice =
      taken || idempotency
        ? { ...(taken ?? { rootId: tree.rootId, runs: [] }), ...(idempotency && { idempotency }) }
        : undefined;
    forgetEnded(loaded);
    if (tree.turns.size === 0) trees.evict(tree.rootId);
    else trees.keep(tree.rootId, loaded);
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
    refuseTooLarge(workflow);
    const inputs = body.inputs ?? {};
    const problem = problemWithInputs(workflow.plan.definition, inputs);
    if (problem)
      throw new BatonError('validation_error', `run: ${problem.field} ${problem.problem}`, { ...problem });
    held.refuseKin({ tenant: caller.tenant, workflowId: body.workflowId, workflowVersion: workflow.version });
    const memoryBase = body.scopeId && (await namedScope(store, caller.tenant, body.scopeId));
    const now = clock.now();
    const runId = ids.rootRunId(now);
    const loaded = emptyTree(runId, worldAt(now));
    const first: NewRun = {
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
      ...(memoryBase && { memoryBase }),
      ...(command.traceparent && { traceparent: command.traceparent }),
    };
    asStep(loaded.tree, () => startRun(loaded.tree, first));
    await advance(loaded, alone);
    trees.keep(runId, loaded);
    return wrapUp(loaded, done({ kind: 'run', runId, status: statusIn(loaded.tree, runId) }), command);
  }

  async function fork(given: ForkCommand | RetryCommand, alone: boolean): Promise<Outcome> {
    const source = await ownRun(store, given);
    const { runId: sourceRunId, erasedAt } = source;
    if (erasedAt !== undefined) throw new BatonError('run_erased', undefined, { runId: sourceRunId });
    const starters = await startersBefore(store, source);
    const wishes =
      given.kind === 'fork-run' ? wishesOf(given, starters) : await retryOf(store, source, given, starters);
    const now = clock.now();
    const runId = ids.rootRunId(now);
    const loaded = await forkRun({ store, workflows, world: worldAt(now), runId }, source, wishes);
    await advance(loaded, alone);
    trees.keep(runId, loaded);
    const status = statusIn(loaded.tree, runId);
    const { fromSeq, mode } = loaded.tree.turns.get(runId)?.run.fork ?? wishes;
    return wrapUp(loaded, done({ kind: 'fork', runId, status, sourceRunId, fromSeq, mode }), given);
  }

  async function command(asked: RunCommand, alone: boolean): Promise<Outcome> {
    if (held.has(rootRunId(asked.runId))) return commandOnHeld(asked);
    // A stranger's word must not have a tree loaded, let alone set aside because that fails.
    if (!trees.get(rootRunId(asked.runId))) await runOf(store, asked);
    const loaded = await treeAt(rootRunId(asked.runId));
    const turn = loaded.tree.turns.get(asked.runId);
    if (turn === undefined || turn.run.phase.kind === 'ended') return commandOnEnded(asked);
    const given = withoutSecrets(asked, turn.run.tenant);
    if ('caller' in given && given.caller.tenant !== turn.run.tenant) throw noSuchRun(asked.runId);
    if (given.kind === 'effect-outcome' && (await room.isFull(turn.run.tenant)))
      return failForStorage(loaded.tree.rootId);
    for (const want of wantedByCommands(loaded.tree)) await lookups.find(want);
    const { head, tenant } = turn.run;
    try {
      await apply(loaded.tree, turn, given);
    } catch (problem) {
      return tooLarge(problem, given, alone);
    }
    const recorded = turn.run.head > head;
    await advance(loaded, alone);
    const reply = done({ kind: 'run', runId: given.runId, status: statusIn(loaded.tree, given.runId) });
    const outcome = wrapUp(loaded, reply, given);
    // What a sensitive run was told is nobody else's answer.
    const keeps = recorded && turn.plan.sensitivity === undefined;
    return keeps ? withModelAnswer(outcome, given, tenant, loaded.tree.world.now) : outcome;
  }

  /** What a replay asked again is compared, and for that it may have to read more of its source. */
  async function apply(tree: Tree, turn: Turn, given: RunCommand): Promise<void> {
    asStep(tree, () => applyCommand(turn, given, conformance));
    if (given.kind !== 'effect-outcome') return;
    const missing = tree.wanted.filter(isSourceWant);
    if (missing.length === 0) return;
    tree.wanted.length = 0;
    for (const want of missing) await supplySource(store, workflows, tree, want);
    await apply(tree, turn, given);
  }

  /** Nothing is made of what an effect brought, not even beside the log, before its secrets are out. */
  function withoutSecrets(given: RunCommand, tenant: string): RunCommand {
    const redactor = given.kind === 'effect-outcome' ? vault.redactor(tenant) : undefined;
    if (redactor === undefined || given.kind !== 'effect-outcome') return given;
    const outcome = redactor.redactJson(given.outcome as unknown as Json) as unknown as typeof given.outcome;
    return { ...given, outcome };
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
    const row = await runOf(store, given);
    refuseEnded(given, row.status);
    const now = clock.now();
    const reply = done({ kind: 'run', runId: given.runId, status: row.status });
    if (given.kind === 'effect-outcome') {
      // Of a run that was erased or is no longer kept, nothing is kept any more.
      if (row.erasedAt !== undefined || row.purgedAt !== undefined) return { reply };
      const lateOutcome = await lateOutcomeOf({ store, workflows, vault }, given, now);
      return { reply, slice: { rootId: row.rootId, runs: [], lateOutcome } };
    }
    const idempotency = replies.remember(given, reply, now);
    return { reply, ...(idempotency && { slice: { rootId: row.rootId, runs: [], idempotency } }) };
  }

  /** A held tree is not computed: it can be ended as it is, or wait until an operator releases it. */
  async function commandOnHeld(given: RunCommand): Promise<Outcome> {
    const row = await runOf(store, given);
    if (given.kind !== 'cancel-run') throw new BatonError('run_held', undefined, { runId: row.rootId });
    const now = clock.now();
    const slice = await quarantineSlice(store, row.rootId, now);
    const reply = done({ kind: 'run', runId: given.runId, status: 'failed' });
    const idempotency = replies.remember(given, reply, now);
    held.ended(row.rootId);
    return { reply, ...(slice && { slice: { ...slice, ...(idempotency && { idempotency }) } }) };
  }

  async function release({ runId, caller }: ReleaseRunCommand): Promise<Outcome> {
    const row = await ownRun(store, { runId: rootRunId(runId), caller });
    if (!(await held.release(row.rootId))) {
      throw new BatonError('run_state_conflict', 'The run is not held.', { runStatus: row.status });
    }
    return { reply: done({ kind: 'run', runId: row.rootId, status: row.status }), unfinished: row.rootId };
  }

  async function handle(given: Command, alone: boolean): Promise<Outcome> {
    if (conformance === undefined) refuseSeamCommands(given);
    const earlier = await replies.earlier(given);
    if (earlier) return { reply: earlier };
    await room.admit(given);
    switch (given.kind) {
      case 'create-run':
        return create(given, alone);
      case 'fork-run':
      case 'retry-run':
        return fork(given, alone);
      case 'put-file':
        return putFile(store, vault.redactor(given.caller.tenant), given, clock.now());
      case 'delete-file':
        return deleteFile(store, given, clock.now());
      case 'register-workflow':
        return registerWorkflow({ store, workflows, nodes, toggles, vault }, given, clock.now());
      case 'import-part': {
        const outcome = importPart(given);
        const reply = given.result && outcome.reply;
        const idempotency = reply && replies.remember(given, reply, clock.now());
        return { ...outcome, slice: { ...outcome.slice, ...(idempotency && { idempotency }) } };
      }
      case 'abandon-import':
        void dropArriving(store, waitingFor(given.rootId)).catch((problem) =>
          log('error', 'an import that was given up could not be removed', { problem: String(problem) }),
        );
        return { reply: done({ kind: 'done' }) };
      case 'erase-run': {
        const outcome = await eraseRun(
          { store, key: auditKey, now: clock.now() },
          { ...given, reason: vault.redactor(given.caller.tenant)?.redactText(given.reason) ?? given.reason },
        );
        trees.evict(given.runId);
        const idempotency = outcome.reply && replies.remember(given, outcome.reply, clock.now());
        return { ...outcome, ...(idempotency && { slice: { rootId: given.runId, runs: [], idempotency } }) };
      }
      case 'release-run':
        return release(given);
      case 'toggle-capability':
        return { reply: done({ kind: 'overlay', overlay: switched?.set(given.name, given.value) ?? {} }) };
      default:
        return command(given, alone);
    }
  }

  async function continueTree(rootId: string, alone: boolean): Promise<Outcome> {
    const loaded = await treeAt(rootId);
    lookAtDue(loaded.tree);
    if (loaded.tree.agenda.length > 0 && (await isOutOfRoom(loaded))) return failForStorage(rootId);
    await advance(loaded, alone);
    const outcome = wrapUp(loaded);
    // Nothing happened, so the stored deadline is out of date: without a new one it would ring for ever.
    return outcome.slice ? outcome : { ...outcome, slice: { rootId, runs: [], wake: wakeOf(loaded) } };
  }

  async function isOutOfRoom({ tree }: LoadedTree): Promise<boolean> {
    const [first] = tree.turns.values();
    return first !== undefined && room.isFull(first.run.tenant);
  }

  /** Not a step of the tree but something that happens to it, so that no replay has to come to it by itself. */
  async function failForStorage(rootId: string): Promise<Outcome> {
    trees.evict(rootId);
    const slice = await quarantineSlice(store, rootId, clock.now(), runError('storage_exceeded'));
    return { reply: done({ kind: 'run', runId: rootId, status: 'failed' }), ...(slice && { slice }) };
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

  /** A refusal repeats what the caller wrote. */
  function refusal(job: Job, problem: BatonError): Reply {
    const tenant = job.kind === 'command' && 'caller' in job.command ? job.command.caller.tenant : '';
    const body = problem.body();
    return refused((vault.redactor(tenant)?.redactJson(body as unknown as Json) ?? body) as ErrorBody);
  }

  return {
    async work(job, alone) {
      lookups.forget();
      try {
        if (job.kind === 'set-aside') return await setAside(job.rootId, job.reason);
        return await (job.kind === 'tree' ? continueTree(job.rootId, alone) : handle(job.command, alone));
      } catch (problem) {
        if (problem instanceof BatonError) return { reply: refusal(job, problem) };
        if (problem instanceof StorageFullError) {
          return { reply: refused(new BatonError('storage_full').body()) };
        }
        if (problem instanceof EventTooLargeError && job.kind === 'command') {
          return { reply: refused(new BatonError('payload_too_large', problem.message).body()) };
        }
        return setAside(rootOf(job), problem);
      }
    },
    mustWait(job) {
      if (thisRound.size === 0) return false;
      const rootId = rootOf(job);
      return rootId !== undefined && thisRound.has(rootId) && trees.get(rootId) === undefined;
    },
    evict: trees.evict,
    roundEnded(slices) {
      replies.roundEnded();
      room.roundEnded();
      lookups.changed(slices);
      for (const tree of thisRound.values()) slicesStored(tree);
      thisRound.clear();
      trees.shrink();
    },
  };
}

function rootOf(job: Job): string | undefined {
  if (job.kind !== 'command') return job.rootId;
  if (job.command.kind === 'fork-run' || job.command.kind === 'retry-run') return undefined;
  return 'runId' in job.command ? rootRunId(job.command.runId) : undefined;
}

function statusIn(tree: Tree, runId: string) {
  const turn = tree.turns.get(runId);
  return turn ? statusOf(turn.run, (id) => tree.turns.get(id)?.run) : 'running';
}

function effectsOfTree(tree: Tree): readonly Effect[] {
  const found: Effect[] = [];
  for (const turn of tree.turns.values()) {
    if (!hasEffects(turn)) continue;
    const { tenant, runId, fork } = turn.run;
    const compared = fork?.mode === 'replay' ? { fresh: true } : {};
    for (const effect of effectsToPerform(turn)) found.push({ ...effect, tenant, runId, ...compared });
  }
  return found;
}
