import { BatonError, type ErrorBody, type Json, rootRunId } from '@baton/protocol';
import type { Command, Reply } from '../../commands.ts';
import { WORKSPACE_SCOPE } from '../../kernel/memory/turn-inputs.ts';
import { EventTooLargeError } from '../../kernel/working-run.ts';
import { type Slice, StorageFullError, StoreUnavailableError } from '../../ports/store.ts';
import { createRun } from '../create-run.ts';
import { dryRunRegistration } from '../dry-run.ts';
import { eraseRun } from '../erase-run.ts';
import { refuseExtensionCommands } from '../extension.ts';
import { forkOrRetry } from '../forks/fork-command.ts';
import { registerAgent, registerWorkflow } from '../register.ts';
import { done, refused } from '../replies.ts';
import { runCommand } from '../run-command.ts';
import { deleteSecret, putSecret } from '../secrets.ts';
import { writeTaskPushes } from '../task-pushes.ts';
import { releaseRun } from '../trees/held-commands.ts';
import { isForeign } from '../trees/own-run.ts';
import { setAside } from '../trees/set-aside.ts';
import { continueTree, lookAtTree } from '../trees/tree-work.ts';
import { writeWebhooks } from '../webhooks.ts';
import { deleteFile, putFile } from '../workspace.ts';
import { dropCaches } from './drop-caches.ts';
import { computedTree, type Job, type Outcome } from './job.ts';
import type { JobMeter } from './job-meter.ts';
import { contextOf, type JobRunnerOptions, type WorkContext, workplaceOf } from './work-context.ts';

/** Computes jobs: each gives one slice. Keeps the trees that are in use; knows nothing of queues and commits. */

export interface JobRunner {
  work(job: Job, meter: JobMeter, alone: boolean): Promise<Outcome>;
  /** A round was stored. */
  stored(): void;
  /**
   * The slice was not stored. Its tree, and the versions of workspaces that it was computed from, are read
   * again from the store.
   */
  refused(slice: Slice): void;
  /** No cache has to be kept up to date any more. */
  stop(): void;
}

export function jobRunnerOf(options: JobRunnerOptions): JobRunner {
  const workplace = workplaceOf(options);
  const { room, trees, workspaces } = workplace;
  const stop = options.store.changes((change) => dropCaches(workplace, change));
  return {
    stop,
    async work(job, meter, alone) {
      const context = contextOf(workplace, meter, alone);
      try {
        return await outcomeOf(context, job);
      } catch (problem) {
        return outcomeOfFailure(context, job, problem);
      }
    },
    stored() {
      room.roundEnded();
      trees.shrink();
    },
    refused({ rootId, memory = [] }) {
      trees.evict(rootId);
      for (const { tenant, scope } of memory) if (scope === WORKSPACE_SCOPE) workspaces.forget(tenant);
    },
  };
}

async function outcomeOf(context: WorkContext, job: Job): Promise<Outcome> {
  switch (job.kind) {
    case 'set-aside':
      return setAside(context, job.rootId, job.reason);
    case 'look':
      return lookAtTree(context, job.rootId);
    case 'tree':
      return continued(await continueTree(context, job.rootId));
    case 'command':
      return withCheck(context, job, await handle(context, job.command));
  }
}

/** The slice is stored only if this host keeps the tree. */
function continued(outcome: Outcome): Outcome {
  return outcome.slice ? { ...outcome, slice: { ...outcome.slice, continues: true } } : outcome;
}

/** A refusal is an answer. Anything else that a job throws is a defect of its tree. */
async function outcomeOfFailure(context: WorkContext, job: Job, problem: unknown): Promise<Outcome> {
  if (problem instanceof BatonError && isAboutTree(problem, computedTree(job)))
    return setAside(context, computedTree(job), problem);
  if (problem instanceof BatonError)
    return withCheck(context, job, { reply: refusal(context, job, problem) });
  if (problem instanceof StoreUnavailableError) return notComputed(context, job);
  if (problem instanceof StorageFullError) return { reply: refused(new BatonError('storage_full').body()) };
  if (problem instanceof EventTooLargeError && job.kind === 'command') {
    return { reply: refused(new BatonError('payload_too_large', problem.message).body()) };
  }
  return setAside(context, computedTree(job), problem);
}

/** The store was lost while the job read from it. The tree in memory may be changed by a part of the job. */
function notComputed({ trees }: WorkContext, job: Job): Outcome {
  const rootId = computedTree(job);
  if (rootId !== undefined) trees.evict(rootId);
  return { isUnavailable: true };
}

/**
 * An answer that changes nothing may rest on a tree in memory. It is given, and remembered, only if the tree
 * is still the stored one: another host may have moved the tree.
 */
function withCheck({ trees }: WorkContext, job: Job, outcome: Outcome): Outcome {
  const { slice } = outcome;
  const rootId = computedTree(job);
  const loaded = rootId === undefined ? undefined : trees.get(rootId);
  if (slice?.from !== undefined || rootId === undefined || loaded === undefined) return outcome;
  if (job.kind === 'command' && isForeign(loaded, job.command)) return outcome;
  return { ...outcome, slice: { rootId, runs: [], ...slice, from: loaded.newestPlace } };
}

async function handle(context: WorkContext, given: Command): Promise<Outcome> {
  const { store, clock, vault, auditKey, nodes, isOn, opened, replies, room } = context;
  if (opened === undefined) refuseExtensionCommands(given);
  const earlier = await replies.earlier(given);
  if (earlier) return { reply: earlier };
  await room.admit(given);
  switch (given.kind) {
    case 'create-run':
      return createRun(context, given);
    case 'fork-run':
    case 'retry-run':
      return forkOrRetry(context, given);
    case 'put-file':
      return putFile(store, vault.redactor(given.caller.tenant), given, clock.now());
    case 'delete-file':
      return deleteFile(store, given, clock.now());
    case 'put-secret':
      return putSecret(store, given, clock.now());
    case 'delete-secret':
      return deleteSecret(store, given);
    case 'rewrap-secrets':
      await store.rewrapSecrets(given.secrets);
      return { reply: done({ kind: 'done' }) };
    case 'write-webhooks':
      return writeWebhooks(store, given.write, clock.now());
    case 'write-task-pushes':
      return writeTaskPushes(store, given.write);
    case 'settle-remote-cancel':
      await store.settleRemoteCancel(given.cancel);
      return { reply: done({ kind: 'done' }) };
    case 'register-workflow':
      return registerWorkflow({ store, nodes, isOn, vault }, given, clock.now());
    case 'check-workflow':
      return dryRunRegistration({ nodes, isOn, vault }, given);
    case 'register-agent':
      return registerAgent({ store, vault }, given, clock.now());
    case 'erase-run': {
      const outcome = await eraseRun(
        { store, key: auditKey, now: clock.now() },
        { ...given, reason: vault.redactor(given.caller.tenant)?.redactText(given.reason) ?? given.reason },
      );
      const idempotency = outcome.reply && replies.remember(given, outcome.reply, clock.now());
      return { ...outcome, ...(idempotency && { slice: { rootId: given.runId, runs: [], idempotency } }) };
    }
    case 'hasten-effects':
      return { reply: done({ kind: 'done' }), hasten: given.runId };
    case 'release-run':
      return releaseRun(context, given);
    case 'extension':
      return { reply: done({ kind: 'extension', value: opened?.execute(given.request) ?? null }) };
    default:
      return runCommand(context, given);
  }
}

/** Whether the log of the tree cannot be folded. A fork or a replay may also meet a source that cannot. */
function isAboutTree({ code, details }: BatonError, rootId: string | undefined): boolean {
  return code === 'run_unreadable' && rootId !== undefined && rootRunId(String(details?.runId)) === rootId;
}

/** A refusal repeats what the caller wrote. */
function refusal(context: WorkContext, job: Job, problem: BatonError): Reply {
  const { vault } = context;
  const tenant = job.kind === 'command' && 'caller' in job.command ? job.command.caller.tenant : '';
  const body = problem.body();
  return refused((vault.redactor(tenant)?.redactJson(body as unknown as Json) ?? body) as ErrorBody);
}
