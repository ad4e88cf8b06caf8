import { createHmac } from 'node:crypto';
import { type Message, type Part, Role, type SendMessageRequest, type Task, TaskState } from '@a2a-js/sdk';
import {
  type AnswerRequest,
  type CheckRequest,
  type Effect,
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
  type HandoffMetadata,
  isJsonObject,
  type Json,
  traceparentOfCall,
} from '@baton/protocol';
import type { Performer } from '../effects.ts';
import { boundedQuestion, errorIn, finishedWork, outputsIn } from './finished-work.ts';
import type { PeerConnections } from './peer-connection.ts';
import { errorOfFault, failedBy, faultOf, PeerFault } from './peer-fault.ts';
import type { RemoteCancels } from './remote-cancels.ts';

/** Performs the effects of handoffs to other hosts. */

interface HandoffOptions {
  readonly peers: () => Pick<PeerReads, 'peer'> | undefined;
  readonly connections: PeerConnections;
  /** Known once the store is open. */
  readonly hostId: () => string;
  /** Where peers report the end of their work to this host. Absent: they are only asked. */
  readonly pushUrl: (runId: string) => string | undefined;
  /** The key from which the secrets of pushed reports are derived. */
  readonly pushKey: Buffer;
  /** Called with each task that is begun or followed, so that it can be cancelled with its run. */
  readonly onFollowed: RemoteCancels['follow'];
}

export function handoffPerformers(options: HandoffOptions): Readonly<Record<string, Performer>> {
  const { connections, onFollowed } = options;

  async function peerNamed(name: string): Promise<Peer> {
    const peer = await options.peers()?.peer(name);
    if (peer !== undefined) return peer;
    throw new PeerFault('peer_unknown', { message: `No peer "${name}" is registered on this host.` });
  }

  return {
    [PEER_MEET]: async ({ request }) => {
      const { peer: name } = request as unknown as MeetRequest;
      try {
        const peer = await peerNamed(name);
        const { hostId } = await connections.to(peer);
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
        const sending = client.sendMessage(messageOf(peer, effect, request, traceparent)).then(sentWork);
        onFollowed(
          effect.runId,
          peer,
          sending.then(taskToCancel, () => undefined),
        );
        return done(await sending);
      } catch (error) {
        return lostOrFailed(faultOf(error), request.repeatable);
      }
    },
    [PEER_CHECK]: async (effect, { signal }) => {
      const { peer: name, taskId } = effect.request as unknown as CheckRequest;
      try {
        const peer = await peerNamed(name);
        onFollowed(effect.runId, peer, Promise.resolve(taskId));
        const { client } = await connections.to(peer);
        const task: Task = await client.getTask({ tenant: '', id: taskId }, { signal });
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
        const { client } = await connections.to(await peerNamed(name));
        const message = { ...emptyMessage(effect.key), taskId, parts: [partOf(answer)] };
        await client.sendMessage({ ...NOT_WAITING, message }, { signal });
        return done<SentWork>({ taskId });
      } catch (error) {
        const fault = faultOf(error);
        return fault.retryable && fault.refused ? failedBy(fault) : done<SentWork>({ taskId });
      }
    },
  };

  function messageOf(
    peer: Peer,
    effect: Effect,
    request: SendRequest,
    traceparent: string,
  ): SendMessageRequest {
    const { worker, inputs, causationId, lineage } = request;
    const key = request.key ?? effect.key;
    const message = {
      ...emptyMessage(digest(key)),
      parts: [peer.kind === 'a2a' ? partOf(inputs) : dataOf(inputs)],
    };
    if (peer.kind === 'a2a') {
      return { ...NOT_WAITING, message: { ...message, metadata: { skillId: worker } } };
    }
    const facts: HandoffMetadata = {
      worker,
      parentRunId: effect.runId,
      causationId,
      causationHostId: options.hostId(),
      idempotencyKey: digest(key),
      lineage: lineage.map((entry) => (entry.startsWith('@') ? entry : `@${options.hostId()}/${entry}`)),
      traceparent,
    };
    const url = options.pushUrl(effect.runId);
    const push = url && {
      tenant: '',
      id: 'end',
      taskId: '',
      url,
      token: pushSecret(options.pushKey, effect.runId),
      authentication: undefined,
    };
    return {
      ...NOT_WAITING,
      configuration: { ...NOT_WAITING.configuration, taskPushNotificationConfig: push || undefined },
      message: { ...message, extensions: [HANDOFF_EXTENSION], metadata: { [HANDOFF_EXTENSION]: facts } },
    };
  }
}

/** An agent of another kind may answer with a message at once. A task that is rejected cannot be asked for later. */
function sentWork(answer: Message | Task): SentWork {
  if ('messageId' in answer) return { taskId: answer.messageId, outputs: outputsIn(answer) };
  if (answer.status?.state !== TaskState.TASK_STATE_REJECTED) return { taskId: answer.id };
  return { problem: errorIn(answer, 'peer_rejected') };
}

function taskToCancel({ taskId, outputs }: SentWork): string | undefined {
  return outputs === undefined ? taskId : undefined;
}

/** The secret with which the peer signs its report about the work of a run. */
export function pushSecret(key: Buffer, runId: string): string {
  return `whsec_${createHmac('sha256', key).update(`pushed ${runId}`).digest('base64')}`;
}

const NOT_WAITING = {
  tenant: '',
  metadata: undefined,
  configuration: {
    acceptedOutputModes: ['application/json', 'text/plain'],
    taskPushNotificationConfig: undefined,
    returnImmediately: true,
  },
};

function emptyMessage(messageId: string): Message {
  return {
    messageId,
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

const PLAIN = { metadata: undefined, filename: '' };

function dataOf(value: Json | Readonly<Record<string, Json>>): Part {
  return { ...PLAIN, content: { $case: 'data', value }, mediaType: 'application/json' };
}

/** A text, or an object with one text, is sent as text, because many agents read nothing else. */
function partOf(value: Json | Readonly<Record<string, Json>>): Part {
  const values = isJsonObject(value) ? Object.values(value) : [value];
  const [text] = values;
  if (values.length !== 1 || typeof text !== 'string') return dataOf(value);
  return { ...PLAIN, content: { $case: 'text', value: text }, mediaType: 'text/plain' };
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
