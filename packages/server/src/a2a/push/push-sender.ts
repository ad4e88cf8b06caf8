import type { Notice } from '@baton/engine';
import type { TaskPush, TaskPushReads, TaskPushWrite } from '@baton/engine/ports';
import { isTerminal, isWaiting, rootRunId } from '@baton/protocol';
import type { Logger } from 'pino';
import { DELIVERY_DAY_MS, type Failure, waitBefore } from '../../webhooks/after-failure.ts';

/** What a push sends at one moment. */
export interface PushMessage {
  /** The same for every try, so that the receiver can recognise a repetition. */
  readonly id: string;
  /** Names the state of the task. */
  readonly state: string;
  /** Whether the task has ended, so that nothing more will be sent. */
  readonly isLast: boolean;
  /** The run that asks: the run of the task, or one below it. */
  readonly asking?: string;
  readonly body: string;
  readonly contentType: string;
  /** The trace context of the run. */
  readonly traceparent: string;
}

export interface PushSenderParts {
  readonly reads: TaskPushReads;
  readonly feed: { onNotices(listener: (notices: readonly Notice[]) => void): void };
  /** Resolves when the change is stored. */
  readonly write: (write: TaskPushWrite) => Promise<unknown>;
  /** The state of the task as a message. `undefined` while the task works, `gone` when there is no such task. */
  readonly messageOf: (push: TaskPush) => Promise<PushMessage | undefined | 'gone'>;
  readonly post: (push: TaskPush, message: PushMessage) => Promise<Failure | undefined>;
  readonly now: () => number;
  readonly random: () => number;
  /** Calls back after this time, unless the returned function is called before. */
  readonly after: (ms: number, run: () => void) => () => void;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

/**
 * Sends the states of tasks to the addresses that callers have given. What has to be sent follows from the stored push
 * and the stored run, so a crash loses nothing; at most a message under way is sent again, with the same id.
 */
interface PushSender {
  /** Reads the stored pushes, and begins. */
  start(): Promise<void>;
  /** Looks at the pushes of a task, after one was stored. */
  look(task: Pick<TaskPush, 'tenant' | 'runId'>): void;
  stop(): Promise<void>;
}

const PAGE = 200;
const AT_ONCE = 16;
/** A receiver that asks for a longer pause is tried again after this time. */
const LONGEST_PAUSE_MS = 3_600_000;

export function pushSender(parts: PushSenderParts): PushSender {
  const { reads, feed, log } = parts;
  /** By the ids of the tasks that have pushes: their tenants, and the runs that ask. */
  const tasks = new Map<string, string>();
  const asking = new Map<string, string>();
  const asked = new Set<string>();
  const active = new Set<string>();
  const timers = runTimers(parts, (runId) => look(runId));
  let isStopped = false;
  let ended = (): void => undefined;

  function look(runId: string): void {
    asked.add(runId);
    begin();
  }

  /** A task is looked at by one at a time, so that its states are sent in order. */
  function begin(): void {
    for (const runId of asked) {
      if (isStopped || active.size >= AT_ONCE) return;
      if (active.has(runId)) continue;
      asked.delete(runId);
      active.add(runId);
      void lookAt(runId).finally(() => {
        active.delete(runId);
        begin();
        if (isStopped && active.size === 0) ended();
      });
    }
  }

  async function lookAt(runId: string): Promise<void> {
    timers.cancel(runId);
    try {
      const pushes = await reads.taskPushes(tasks.get(runId) ?? '', runId);
      if (pushes.length === 0) tasks.delete(runId);
      asking.delete(runId);
      for (const push of pushes) {
        const wait = isStopped ? undefined : await deliver(parts, push, (run) => asking.set(runId, run));
        if (wait !== undefined) timers.set(runId, wait);
      }
    } catch (err) {
      if (isStopped) return;
      log.error({ err, runId }, 'the state of a task could not be pushed');
      timers.set(runId, waitBefore(1, parts.random()));
    }
  }

  feed.onNotices((notices) => {
    for (const notice of tasks.size === 0 ? [] : notices) {
      const taskId = rootRunId(notice.runId);
      if (tasks.has(taskId) && isNews(notice, taskId, asking.get(taskId))) look(taskId);
    }
  });

  function take({ tenant, runId }: Pick<TaskPush, 'tenant' | 'runId'>): void {
    tasks.set(runId, tenant);
    look(runId);
  }

  return {
    async start() {
      let last: TaskPush | undefined;
      do {
        const page: readonly TaskPush[] = await reads.everyTaskPush(last, PAGE);
        for (const push of page) take(push);
        last = page.at(-1);
      } while (last !== undefined);
    },
    look: take,
    async stop() {
      isStopped = true;
      timers.stop();
      if (active.size === 0) return;
      await new Promise<void>((resolve) => {
        ended = resolve;
      });
    },
  };
}

function isNews({ runId, status }: Notice, taskId: string, asking: string | undefined): boolean {
  return (runId === taskId && isTerminal(status)) || isWaiting(status) || asking === runId;
}

/** Returns how long to wait before the next try, when one is needed. */
async function deliver(
  parts: PushSenderParts,
  push: TaskPush,
  onAsking: (runId: string) => void,
): Promise<number | undefined> {
  const { messageOf, post, write, now } = parts;
  const { tenant, runId, pushId, told, nextAt = 0 } = push;
  const place = { tenant, runId, pushId };
  if (nextAt > now()) return nextAt - now();
  const message = await messageOf(push);
  if (message === undefined) return undefined;
  if (message !== 'gone') {
    if (message.asking !== undefined) onAsking(message.asking);
    if (message.state === told) return undefined;
    const failure = await post(push, message);
    if (failure !== undefined) return afterFailure(parts, push, failure);
    if (!message.isLast) {
      await write({ do: 'settle', place, progress: { told: message.state, tries: 0 } });
      return undefined;
    }
  }
  await write({ do: 'delete', place });
  return undefined;
}

async function afterFailure(
  { write, now, random, log }: PushSenderParts,
  push: TaskPush,
  { error, gone, retryAfterMs = 0 }: Failure,
): Promise<number | undefined> {
  const { tenant, runId, pushId, told, failingSince = now() } = push;
  const place = { tenant, runId, pushId };
  if (gone || now() - failingSince >= DELIVERY_DAY_MS) {
    log.warn({ runId, error }, 'the state of a task is no longer pushed to a receiver that does not take it');
    await write({ do: 'delete', place });
    return undefined;
  }
  const tries = push.tries + 1;
  const wait = Math.max(waitBefore(tries, random()), Math.min(retryAfterMs, LONGEST_PAUSE_MS));
  const progress = { ...(told !== undefined && { told }), tries, failingSince, nextAt: now() + wait };
  await write({ do: 'settle', place, progress });
  return wait;
}

interface TimerParts {
  readonly now: () => number;
  readonly after: (ms: number, run: () => void) => () => void;
}

/** Calls back for a run after a time. A run has one timer: the earliest that was set. */
function runTimers({ now, after }: TimerParts, onDue: (runId: string) => void) {
  const timers = new Map<string, { readonly at: number; readonly cancel: () => void }>();
  let isStopped = false;
  function cancel(runId: string): void {
    timers.get(runId)?.cancel();
    timers.delete(runId);
  }
  return {
    set(runId: string, ms: number): void {
      const at = now() + ms;
      if (isStopped || (timers.get(runId)?.at ?? at + 1) <= at) return;
      cancel(runId);
      const cancelTimer = after(ms, () => {
        timers.delete(runId);
        onDue(runId);
      });
      timers.set(runId, { at, cancel: cancelTimer });
    },
    cancel,
    /** Cancels all timers. No timer can be set afterwards. */
    stop(): void {
      isStopped = true;
      for (const runId of [...timers.keys()]) cancel(runId);
    },
  };
}
