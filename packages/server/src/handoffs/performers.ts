import { type Message, type Task, TaskState } from '@a2a-js/sdk';
import type { Performer } from '@baton/agents';
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
import { type Json, traceparentOfCall } from '@baton/protocol';
import { boundedQuestion, errorIn, finishedWork, outputsIn } from './finished-work.ts';
import { answerMessage, type Sender, workMessage } from './messages.ts';
import type { PeerConnections } from './peer-connection.ts';
import { errorOfFault, failedBy, faultOf, PeerFault } from './peer-fault.ts';
import type { RemoteCancels } from './remote-cancels.ts';

/** Performs the effects of handoffs to other hosts. */

interface HandoffOptions extends Sender {
  readonly peers: () => Pick<PeerReads, 'peer'> | undefined;
  readonly connections: PeerConnections;
  /** Called with each task that is begun or followed, so that it can be cancelled with its run. */
  readonly onFollowed: RemoteCancels['follow'];
}

type Kind = typeof PEER_MEET | typeof PEER_SEND | typeof PEER_CHECK | typeof PEER_ANSWER;

export function handoffPerformers(options: HandoffOptions): Readonly<Record<Kind, Performer>> {
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
        const sending = client
          .sendMessage(workMessage({ ...options, peer, effect, request, traceparent }))
          .then(sentWork);
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
  if ('messageId' in answer) return { taskId: answer.messageId, outputs: outputsIn(answer) };
  if (answer.status?.state !== TaskState.TASK_STATE_REJECTED) return { taskId: answer.id };
  return { problem: errorIn(answer, 'peer_rejected') };
}

function taskToCancel({ taskId, outputs }: SentWork): string | undefined {
  return outputs === undefined ? taskId : undefined;
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
