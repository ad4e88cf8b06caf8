import { BatonError, isJsonObject, isTerminal, type JsonObject, rootRunId } from '@baton/protocol';
import type { CallToolResult, ElicitResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { isSameQuestion, type OpenQuestion } from '../published/open-question.ts';
import type { Skill } from '../published/skills.ts';
import { answerRun, cameTooLate } from './answer-run.ts';
import type { McpCall, RequestMeta } from './call.ts';
import { cancelRun } from './cancel-run.ts';
import { followRun } from './follow-run.ts';
import { type Notification, progressFor } from './progress.ts';

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
