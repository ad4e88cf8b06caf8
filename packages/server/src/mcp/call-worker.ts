import type { RunRow } from '@baton/engine/ports';
import {
  BatonError,
  isJsonObject,
  isTerminal,
  isWaiting,
  type JsonObject,
  type RunEvent,
  rootRunId,
} from '@baton/protocol';
import type { CallToolResult, ElicitResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { isSameQuestion, type OpenQuestion } from '../published/open-question.ts';
import type { Skill } from '../published/skills.ts';
import { answerRun, cameTooLate } from './answer-run.ts';
import type { McpCall, RequestMeta } from './call.ts';
import { cancelRun } from './cancel-run.ts';
import { formFor } from './question-form.ts';
import { detached, endOf, failure } from './results.ts';
import { readRun, type ShownRun, shownRow } from './shown-run.ts';
import { startRun } from './start-run.ts';

/** A tool call that lasts as long as its run. */
export interface WorkerCall {
  readonly call: McpCall;
  readonly worker: Skill;
  readonly inputs: JsonObject;
  readonly meta: RequestMeta;
  /** Aborted when the caller has cancelled the call. */
  readonly cancelled: AbortSignal;
  /** Aborted when the host stops. */
  readonly stopped: AbortSignal;
  /** The answer to a question of an earlier result, with the asking run and the interrupt that its signed state names. */
  readonly answered?: AnsweredQuestion;
  notify(notification: Notification): Promise<void>;
  /** Asks the caller. `undefined` when the caller cannot be asked. */
  readonly ask?: Asking;
}

interface AnsweredQuestion {
  readonly runId: string;
  readonly interruptId: string;
  readonly response: unknown;
}

type Form = NonNullable<ReturnType<typeof formFor>>;

/** A question is answered within the call, or by another call. */
export type Asking =
  | { readonly kind: 'now'; readonly elicit: (form: Form, signal: AbortSignal) => Promise<ElicitResult> }
  | {
      readonly kind: 'later';
      readonly result: (form: Form, question: OpenQuestion) => InputRequiredResult;
    };

export async function callWorker(work: WorkerCall): Promise<CallToolResult | InputRequiredResult> {
  const { call, worker, inputs, meta, answered } = work;
  if (answered) return resume(work, answered);
  const started = await startRun(call, worker, inputs, meta);
  if ('rejected' in started) return failure(started.rejected.code, started.rejected.message);
  return follow(work, started.runId);
}

/** The state is signed, but it may have been made for a call of another tool. */
async function resume(work: WorkerCall, { response, ...asked }: AnsweredQuestion) {
  const runId = rootRunId(asked.runId);
  const { workflowId } = await shownRow(work.call, runId);
  if (workflowId !== work.worker.workflowId) {
    throw new BatonError('validation_error', 'requestState belongs to a call of another tool.');
  }
  const run = await readRun(work.call, runId);
  const { question } = run;
  if (question === undefined || !isSameQuestion(question, asked)) return follow(work, runId);
  return (await takeResponse(work, run, question, response)) ?? follow(work, runId);
}

async function follow(work: WorkerCall, runId: string): Promise<CallToolResult | InputRequiredResult> {
  const { call, meta, cancelled, stopped, notify, ask } = work;
  const signal = AbortSignal.any([cancelled, stopped]);
  const tellProgress = progressFor(call, meta, notify);
  for (;;) {
    const row = await followRun(call, runId, signal, tellProgress);
    if (row === undefined) return interrupted(work, runId);
    const run = await readRun(call, runId);
    if (isTerminal(run.row.status)) return endOf(call, run);
    const { question } = run;
    // The run has gone on since.
    if (question === undefined) continue;
    const form = mayAnswer(call) ? formFor(question) : undefined;
    if (form === undefined || ask === undefined) return detached(run, howToAnswer(run));
    if (ask.kind === 'later') return ask.result(form, question);
    const response = await ask.elicit(form, signal).catch(() => undefined);
    if (signal.aborted) return interrupted(work, runId);
    const unsettled = await takeResponse(work, run, question, response);
    if (unsettled) return unsettled;
  }
}

/** A call that the caller has cancelled cancels its run. A host that stops leaves the run to its next start. */
async function interrupted({ call, stopped }: WorkerCall, runId: string): Promise<CallToolResult> {
  if (!stopped.aborted) await cancelRun(call, runId, 'cancelled over MCP');
  const run = await readRun(call, runId);
  return stopped.aborted
    ? failure('shutting_down', `The host stops. The run ${runId} goes on; read it with baton_get.`, {
        runId,
        status: run.row.status,
      })
    : endOf(call, run);
}

function mayAnswer({ identity }: McpCall): boolean {
  return identity.scopes.has('approvals:respond');
}

/** The result that ends the call, when the answer did not settle the question. */
async function takeResponse(
  { call }: WorkerCall,
  run: ShownRun,
  question: OpenQuestion,
  response: unknown,
): Promise<CallToolResult | undefined> {
  const { runId } = run.row;
  // A person who declines to fill in a form has decided nothing.
  if (!isJsonObject(response) || response.action !== 'accept' || !isJsonObject(response.content)) {
    return detached(run, `The question was not answered. ${howToAnswer(run)}`);
  }
  try {
    await answerRun(call, question, response.content);
  } catch (error) {
    if (cameTooLate(error)) return undefined;
    if (!(error instanceof BatonError) || error.code === 'internal_error') throw error;
    return detached(run, `The answer was refused: ${error.message} ${howToAnswer(run)}`);
  }
  const after = await readRun(call, runId);
  if (!isSameQuestion(after.question, question)) return undefined;
  return detached(after, `The answer was recorded. The run waits for more answers. ${howToAnswer(after)}`);
}

function howToAnswer({ row: { runId }, question }: ShownRun): string {
  return `The run ${runId} waits (${question?.kind}). Answer with baton_answer, and read the result with baton_get.`;
}

/** Tells the caller of a tool how its run goes on, if the caller has asked for progress. */

interface Notification {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** Events that are read at most for one notification. */
const MOST_EVENTS = 200;

/**
 * One notification for each commit of the run, with its newest event about a node. The progress is the number of events
 * that the run has recorded, so it only grows; the total is not known.
 */
function progressFor(
  { host, identity }: McpCall,
  meta: RequestMeta,
  notify: (notification: Notification) => Promise<void>,
): (row: RunRow) => Promise<void> {
  const token = meta?.progressToken;
  if (typeof token !== 'string' && typeof token !== 'number') return async () => undefined;
  let told = 0;
  return async ({ runId, head }) => {
    if (head <= told) return;
    const from = Math.max(told, head - MOST_EVENTS);
    const texts = await host.reads.events(identity.tenant, runId, from, head - from);
    told = head;
    const newest = texts.map((text) => JSON.parse(text) as RunEvent).findLast(isAboutNode);
    if (newest === undefined) return;
    const message = `${newest.type} ${newest.nodeId}`;
    await notify({
      method: 'notifications/progress',
      params: { progressToken: token, progress: head, message },
    });
  };
}

function isAboutNode({ type, nodeId }: RunEvent): boolean {
  return type.startsWith('node.') && nodeId !== undefined;
}

/**
 * Resolves when the run has ended, or when it or a run below it waits for an answer, or with `undefined` when the signal
 * is aborted. `onNews` is called whenever the run has moved. The watch begins before the row is read, so that a commit in
 * between is not missed.
 */
async function followRun(
  call: McpCall,
  runId: string,
  signal: AbortSignal,
  onNews: (row: RunRow) => Promise<void>,
): Promise<RunRow | undefined> {
  let hasMoved = false;
  let wake = (): void => undefined;
  const stopWatching = call.host.feed.watchTree(runId, (notice) => {
    if (notice.runId !== runId && !isWaiting(notice.status)) return;
    hasMoved = true;
    wake();
  });
  const abort = (): void => wake();
  signal.addEventListener('abort', abort);
  try {
    while (!signal.aborted) {
      hasMoved = false;
      const row = await shownRow(call, runId);
      await onNews(row);
      if (isTerminal(row.status) || (await isAsking(call, runId))) return row;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (hasMoved || signal.aborted) resolve();
      });
    }
    return undefined;
  } finally {
    stopWatching();
    signal.removeEventListener('abort', abort);
  }
}

async function isAsking({ host, identity }: McpCall, runId: string): Promise<boolean> {
  return (await host.reads.firstInterrupt(identity.tenant, runId)) !== undefined;
}
