import { type Artifact, type Message, Role, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import {
  HANDOFF_EXTENSION,
  isoTime,
  isTerminal,
  type JsonObject,
  type RunError,
  type RunSnapshot,
  type RunStatus,
} from '@baton/protocol';
import type { OpenQuestion } from '../published/open-question.ts';
import { questionText } from '../published/open-question.ts';

/** A run as a task of A2A. */

/** The part of a run's row that its task shows. */
interface RunOfTask {
  readonly runId: string;
  readonly status: RunStatus;
  readonly tags: readonly string[];
  readonly updatedAt: number;
}

interface TaskDetails {
  readonly hostId: string;
  /** Absent: the task shows only what the row of the run holds. */
  readonly snapshot?: RunSnapshot;
  readonly question?: OpenQuestion;
  /** The result of a run that has ended. */
  readonly artifact?: Artifact;
}

export function taskOf(run: RunOfTask, { hostId, snapshot, question: asked, artifact }: TaskDetails): Task {
  const { runId, status } = run;
  const question = asked && tellQuestion(asked, runId);
  const error = snapshot?.error;
  const openwop = {
    ...(question && { interrupt: question.interrupt }),
    ...(error && errorMetadata(error).openwop),
    ...(status === 'paused' && { paused: true }),
  };
  return {
    id: runId,
    contextId: contextOf(run),
    status: {
      state: taskState(status, question !== undefined),
      message: question
        ? agentMessage(run, question.text)
        : error && agentMessage(run, error.message, errorMetadata(error)),
      timestamp: isoTime(run.updatedAt),
    },
    artifacts: artifact ? [artifact] : [],
    history: [],
    metadata: {
      [HANDOFF_EXTENSION]: { hostId, runId, status },
      ...(Object.keys(openwop).length > 0 && { openwop }),
    },
  };
}

/** The answer to a message whose run was not started. There is no run, so the task cannot be asked for later. */
export function rejectedTask(id: string, contextId: string, hostId: string, error: RunError): Task {
  const run = { runId: id, tags: [CONTEXT_TAG + contextId] };
  return {
    id,
    contextId,
    status: {
      state: TaskState.TASK_STATE_REJECTED,
      message: agentMessage(run, error.message, errorMetadata(error)),
      timestamp: undefined,
    },
    artifacts: [],
    history: [],
    metadata: { [HANDOFF_EXTENSION]: { hostId }, ...errorMetadata(error) },
  };
}

/** The id of the context of a task: the id that its first message named, or else the id of the run. */
export function contextOf({ runId, tags }: Pick<RunOfTask, 'runId' | 'tags'>): string {
  return tags.find((tag) => tag.startsWith(CONTEXT_TAG))?.slice(CONTEXT_TAG.length) ?? runId;
}

/** The events of a stream that tell what has changed in a task: a result comes before the state. */
export function updatesOf(task: Task): readonly StreamResponse[] {
  const { id: taskId, contextId, status, artifacts, metadata } = task;
  const results = artifacts.map((artifact): StreamResponse => {
    const update = { taskId, contextId, artifact, append: false, lastChunk: true, metadata: undefined };
    return { payload: { $case: 'artifactUpdate', value: update } };
  });
  return [...results, { payload: { $case: 'statusUpdate', value: { taskId, contextId, status, metadata } } }];
}

/** The question of a run below the task names this run. */
function tellQuestion({ runId, kind, interruptId, data }: OpenQuestion, taskId: string) {
  return {
    text: questionText(data) ?? `The task waits for an answer (${kind}).`,
    interrupt: {
      kind: kind === 'low-confidence' ? 'approval' : kind,
      interruptId,
      ...(runId !== taskId && { runId }),
      data,
    },
  };
}

function errorMetadata({ code, message }: RunError): { readonly openwop: JsonObject } {
  return { openwop: { error: { code, message } } };
}

function agentMessage(run: Pick<RunOfTask, 'runId' | 'tags'>, text: string, metadata?: JsonObject): Message {
  const messageId = `${run.runId}:status`;
  const content = { $case: 'text', value: text } as const;
  const parts = [{ content, metadata: undefined, filename: '', mediaType: '' }];
  return { ...messageOf(run, { messageId, role: Role.ROLE_AGENT, parts }), metadata };
}

/** A message of a task. */
export function messageOf(
  run: Pick<RunOfTask, 'runId' | 'tags'>,
  said: Pick<Message, 'messageId' | 'role' | 'parts'>,
): Message {
  return {
    ...said,
    contextId: contextOf(run),
    taskId: run.runId,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

/** The state of a task for each status of its run. A run is never in the state `auth-required` or `rejected`. */
const STATES: Readonly<Record<RunStatus, TaskState>> = {
  pending: TaskState.TASK_STATE_SUBMITTED,
  running: TaskState.TASK_STATE_WORKING,
  paused: TaskState.TASK_STATE_WORKING,
  'waiting-approval': TaskState.TASK_STATE_INPUT_REQUIRED,
  'waiting-input': TaskState.TASK_STATE_INPUT_REQUIRED,
  'waiting-external': TaskState.TASK_STATE_INPUT_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  cancelling: TaskState.TASK_STATE_WORKING,
  cancelled: TaskState.TASK_STATE_CANCELED,
};

/** A task whose run works asks back as soon as a run below it asks, even if other work goes on. */
export function taskState(status: RunStatus, isAsking = false): TaskState {
  const isHeld = status === 'paused' || status === 'cancelling' || isTerminal(status);
  return isAsking && !isHeld ? TaskState.TASK_STATE_INPUT_REQUIRED : STATES[status];
}

/** The tag of the runs of one A2A context has this prefix. */
export const CONTEXT_TAG = 'a2a:ctx_';
