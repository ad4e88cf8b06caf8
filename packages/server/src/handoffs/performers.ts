import { type Message, type Part, type Task, TaskState } from '@a2a-js/sdk';
import type { Performer } from '@baton/agents';
import { publicKey, verifiesStatement } from '@baton/engine';
import {
  type AnswerRequest,
  type CheckRequest,
  type EffectOutcome,
  type FinishedWork,
  type MeetRequest,
  type MetPeer,
  PEER_ANSWER,
  PEER_CHECK,
  PEER_MEET,
  PEER_SEND,
  type Peer,
  type PeerReads,
  type SendRequest,
  type SentWork,
} from '@baton/engine/ports';
import {
  digest,
  HANDOFF_EXTENSION,
  isJsonObject,
  type Json,
  type JsonObject,
  problemWith,
  ResultStatement,
  type RunError,
  runError,
  storableJson,
  traceparentOfCall,
} from '@baton/protocol';
import { answerMessage, type Sender, workMessage } from './messages.ts';
import type { PeerConnections } from './peer-connection.ts';
import { errorOfFault, failedBy, faultOf, PeerFault } from './peer-fault.ts';
import type { RemoteCancels } from './remote-cancels.ts';

/** Performs the effects of handoffs to other hosts. */

interface HandoffOptions extends Sender {
  readonly peers: () => Pick<PeerReads, 'peer'> | undefined;
  readonly connections: PeerConnections;
  /** Called with each message that is sent. */
  readonly onSending: RemoteCancels['sending'];
}

type Kind = typeof PEER_MEET | typeof PEER_SEND | typeof PEER_CHECK | typeof PEER_ANSWER;

export function handoffPerformers(options: HandoffOptions): Readonly<Record<Kind, Performer>> {
  const { connections, onSending } = options;

  async function peerNamed(name: string): Promise<Peer> {
    const peer = await options.peers()?.peer(name);
    if (peer !== undefined) return peer;
    throw new PeerFault('peer_unknown', { message: `No peer "${name}" is registered on this host.` });
  }

  return {
    [PEER_MEET]: async (effect) => {
      const { peer: name } = effect.request as unknown as MeetRequest;
      try {
        const peer = await peerNamed(name);
        const { hostId } = await connections.to(peer, traceparentOfCall(effect));
        return done<MetPeer>({ repeatable: hostId !== undefined, ...(hostId !== undefined && { hostId }) });
      } catch (error) {
        const fault = faultOf(error);
        return fault.retryable
          ? failedBy(fault)
          : done<MetPeer>({ repeatable: false, problem: errorOfFault(fault) });
      }
    },
    [PEER_SEND]: async (effect) => {
      const request = effect.request as unknown as SendRequest;
      // The peer would take a second message as more work, and the first may have arrived.
      if (effect.again === true && !request.repeatable) return done<SentWork>({});
      try {
        const peer = await peerNamed(request.peer);
        const traceparent = traceparentOfCall(effect);
        const { client } = await connections.to(peer, traceparent);
        // Not aborted with the run: the answer says which task has to be cancelled.
        const sending = client
          .sendMessage(workMessage({ ...options, peer, effect, request, traceparent }))
          .then(sentWork);
        onSending(effect.runId, sending);
        return done(await sending);
      } catch (error) {
        return lostOrFailed(faultOf(error), request.repeatable);
      }
    },
    [PEER_CHECK]: async (effect, { signal }) => {
      const { peer: name, taskId } = effect.request as unknown as CheckRequest;
      try {
        const peer = await peerNamed(name);
        const { client } = await connections.to(peer, traceparentOfCall(effect));
        const task: Task = await client.getTask({ tenant: '', id: taskId, historyLength: 0 }, { signal });
        const work = task.id === taskId ? finishedWork(peer, task) : anotherTask();
        if (work === undefined) return failedBy(new PeerFault('remote_run_pending', { retryable: true }));
        return done<FinishedWork>(boundedQuestion(work));
      } catch (error) {
        const fault = faultOf(error);
        return fault.retryable
          ? failedBy(fault)
          : done<FinishedWork>({ state: 'failed', error: errorOfFault(fault) });
      }
    },
    [PEER_ANSWER]: async (effect, { signal }) => {
      const { peer: name, taskId, answer } = effect.request as unknown as AnswerRequest;
      // If the first message has arrived, the peer goes on. If not, it asks once more.
      if (effect.again === true) return done<SentWork>({ taskId });
      try {
        const { client } = await connections.to(await peerNamed(name), traceparentOfCall(effect));
        await client.sendMessage(answerMessage(effect.key, taskId, answer), { signal });
        return done<SentWork>({ taskId });
      } catch (error) {
        const fault = faultOf(error);
        return fault.retryable && fault.refused ? failedBy(fault) : done<SentWork>({ taskId });
      }
    },
  };
}

/** An agent of another kind may answer with a message at once. A task that is rejected cannot be asked for later. */
function sentWork(answer: Message | Task): SentWork {
  if ('messageId' in answer) return { taskId: boundedId(answer.messageId), outputs: outputsIn(answer) };
  if (answer.status?.state !== TaskState.TASK_STATE_REJECTED) return { taskId: boundedId(answer.id) };
  return { problem: errorIn(answer, 'peer_rejected') };
}

const LONGEST_ID = 256;

/** The id is recorded, and repeated with every question about the task. */
function boundedId(id: string): string {
  if (id.length <= LONGEST_ID) return id;
  throw new PeerFault('peer_answer_invalid', {
    message: 'The other host named its task with too long an id.',
  });
}

/** Without a promise of the peer, a message that may have arrived is a question for a person. */
function lostOrFailed(fault: PeerFault, repeatable: boolean): EffectOutcome {
  if (fault.retryable && (repeatable || fault.refused)) return failedBy(fault);
  return done<SentWork>(fault.retryable ? {} : { problem: errorOfFault(fault) });
}

function anotherTask(): never {
  throw new PeerFault('peer_answer_invalid', { message: 'The other host answered with another task.' });
}

function done<T>(outputs: T): EffectOutcome {
  return { kind: 'done', outputs: outputs as unknown as Readonly<Record<string, Json>> };
}

/** Reads the state of a task of another host. `undefined` while its work goes on. */
function finishedWork(peer: Peer, task: Task): FinishedWork | undefined {
  switch (task.status?.state) {
    case TaskState.TASK_STATE_COMPLETED: {
      const outputs = peer.kind === 'baton' ? signedOutputs(task) : outputsIn(...task.artifacts);
      return { state: 'completed', outputs, received: digest(outputs), ...statementIn(peer, task) };
    }
    case TaskState.TASK_STATE_FAILED:
      return { state: 'failed', error: errorIn(task, 'child_failed'), ...statementIn(peer, task) };
    case TaskState.TASK_STATE_CANCELED:
      return { state: 'cancelled', ...statementIn(peer, task) };
    case TaskState.TASK_STATE_REJECTED:
      return { state: 'failed', error: errorIn(task, 'peer_rejected') };
    case TaskState.TASK_STATE_INPUT_REQUIRED:
    case TaskState.TASK_STATE_AUTH_REQUIRED:
      // The people of a host of this kind answer there. Another agent needs an answer from here.
      return peer.kind === 'baton'
        ? undefined
        : { state: 'question', question: textIn(task.status.message?.parts) };
    default:
      return undefined;
  }
}

/** The signature is checked here, where the pinned key is. The kernel compares the facts. */
function statementIn(peer: Peer, task: Task): Pick<FinishedWork, 'statement'> {
  const holders = [...task.artifacts, task];
  const found = holders
    .map(({ metadata }) => metadata?.[HANDOFF_EXTENSION])
    .find((value) => isJsonObject(value) && 'signature' in value);
  if (found === undefined || peer.auditKey === undefined) return {};
  if (problemWith(ResultStatement, found) !== undefined) {
    throw new PeerFault('remote_result_mismatch', {
      message: 'The statement about the result cannot be read.',
    });
  }
  const statement = found as ResultStatement;
  if (!verifiesStatement(publicKey(peer.auditKey, peer.name), statement)) {
    const message = 'The result is not signed with the registered audit key of the other host.';
    throw new PeerFault('remote_result_mismatch', { message });
  }
  return { statement };
}

function signedOutputs({ artifacts }: Task): JsonObject {
  const parts = artifacts.find(({ artifactId }) => artifactId === 'outputs')?.parts ?? [];
  const [data] = parts.flatMap(dataIn);
  return isJsonObject(data) ? data : {};
}

/** An agent of another kind brings artifacts or a message: the fields of data parts, and all texts as `text`. */
function outputsIn(...holders: readonly { readonly parts: readonly Part[] }[]): JsonObject {
  const parts = holders.flatMap((holder) => holder.parts);
  const fields: Record<string, Json> = {};
  for (const data of parts.flatMap(dataIn)) if (isJsonObject(data)) Object.assign(fields, data);
  const text = textIn(parts);
  return { ...(text !== '' && { text }), ...fields };
}

/** Values that cannot be stored, because they are nested too deep for example, make the answer unreadable. */
function dataIn({ content }: Part): readonly Json[] {
  return content?.$case === 'data' ? [storableJson(content.value)] : [];
}

const LONGEST_TEXT = 65_536;

function textIn(parts: readonly Part[] = []): string {
  const texts = parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []));
  return texts.join('\n');
}

function errorIn({ status }: Task, code: 'child_failed' | 'peer_rejected'): RunError {
  const said = textIn(status?.message?.parts).slice(0, 1000);
  return runError(code, said === '' ? undefined : said);
}

function boundedQuestion(work: FinishedWork): FinishedWork {
  return work.question === undefined ? work : { ...work, question: work.question.slice(0, LONGEST_TEXT) };
}
