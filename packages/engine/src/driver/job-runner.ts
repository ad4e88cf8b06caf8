import { BatonError, type ErrorBody, type Json, rootRunId } from '@baton/protocol';
import { waitingFor } from '../bundle/import-slices.ts';
import type { Command, Reply } from '../commands.ts';
import { EventTooLargeError } from '../kernel/working-run.ts';
import { type Slice, StorageFullError } from '../ports/store.ts';
import { refuseSeamCommands } from './conformance.ts';
import { createRun } from './create-run.ts';
import { eraseRun } from './erase-run.ts';
import { forkOrRetry } from './forks/fork-command.ts';
import { dropArriving, importPart } from './import-run.ts';
import type { Job, Outcome } from './job.ts';
import { registerWorkflow } from './register.ts';
import { done, refused } from './replies.ts';
import { runCommand } from './run-command.ts';
import { releaseRun } from './trees/held-commands.ts';
import { setAside } from './trees/set-aside.ts';
import { slicesStored } from './trees/slice.ts';
import { continueTree } from './trees/tree-work.ts';
import { type JobRunnerOptions, type WorkContext, workContextOf } from './work-context.ts';
import { deleteFile, putFile } from './workspace.ts';

/** Where one job becomes one slice. Keeps the trees that are in use; knows nothing of queues and commits. */

export interface JobRunner {
  work(job: Job, alone: boolean): Promise<Outcome>;
  /** The tree of the job did something in this round and is no longer in memory: it can be loaded once that is stored. */
  mustWait(job: Job): boolean;
  /** Forgets a tree, so that it is loaded again from what is stored. */
  evict(rootId: string): void;
  /** These slices were stored, or refused. */
  roundEnded(slices: readonly Slice[]): void;
}

export function jobRunnerOf(options: JobRunnerOptions): JobRunner {
  const context = workContextOf(options);
  const { lookups, replies, room, thisRound, trees } = context;
  return {
    async work(job, alone) {
      lookups.forget();
      try {
        if (job.kind === 'set-aside') return await setAside(context, job.rootId, job.reason);
        return await (job.kind === 'tree'
          ? continueTree(context, job.rootId, alone)
          : handle(context, job.command, alone));
      } catch (problem) {
        if (problem instanceof BatonError) return { reply: refusal(context, job, problem) };
        if (problem instanceof StorageFullError) {
          return { reply: refused(new BatonError('storage_full').body()) };
        }
        if (problem instanceof EventTooLargeError && job.kind === 'command') {
          return { reply: refused(new BatonError('payload_too_large', problem.message).body()) };
        }
        return setAside(context, rootOf(job), problem);
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

async function handle(context: WorkContext, given: Command, alone: boolean): Promise<Outcome> {
  const { store, clock, vault, auditKey, log, workflows, nodes, toggles, replies, room, trees } = context;
  if (context.conformance === undefined) refuseSeamCommands(given);
  const earlier = await replies.earlier(given);
  if (earlier) return { reply: earlier };
  await room.admit(given);
  switch (given.kind) {
    case 'create-run':
      return createRun(context, given, alone);
    case 'fork-run':
    case 'retry-run':
      return forkOrRetry(context, given, alone);
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
      return releaseRun(context, given);
    case 'toggle-capability':
      return {
        reply: done({ kind: 'overlay', overlay: context.settable?.set(given.name, given.value) ?? {} }),
      };
    default:
      return runCommand(context, given, alone);
  }
}

/** A refusal repeats what the caller wrote. */
function refusal(context: WorkContext, job: Job, problem: BatonError): Reply {
  const { vault } = context;
  const tenant = job.kind === 'command' && 'caller' in job.command ? job.command.caller.tenant : '';
  const body = problem.body();
  return refused((vault.redactor(tenant)?.redactJson(body as unknown as Json) ?? body) as ErrorBody);
}

function rootOf(job: Job): string | undefined {
  if (job.kind !== 'command') return job.rootId;
  if (job.command.kind === 'fork-run' || job.command.kind === 'retry-run') return undefined;
  return 'runId' in job.command ? rootRunId(job.command.runId) : undefined;
}
