import {
  isJsonObject,
  type Json,
  type JsonObject,
  PeerName,
  problemWith,
  type RunError,
  runError,
} from '@baton/protocol';
import Type from 'typebox';
import { effectKey } from '../../kernel/effect-key.ts';
import { failNode, intend } from '../../kernel/execute.ts';
import type { PlanNode } from '../../kernel/graph/plan.ts';
import { recordTransition } from '../../kernel/handoff/transitions.ts';
import type { Answer, NodeType, SettledEffect } from '../../kernel/model.ts';
import { ask } from '../../kernel/people/asking.ts';
import { effectSteps } from '../../kernel/run.ts';
import type { WorkingRun } from '../../kernel/working-run.ts';
import {
  FinishedWork,
  MetPeer,
  PEER_ANSWER,
  PEER_CHECK,
  PEER_MEET,
  PEER_SEND,
  SentWork,
} from '../../ports/peers/remote-effects.ts';
import { REMOTE_NODE } from './remote-definition.ts';
import { takeFinished } from './remote-result.ts';
import { type Remote, remoteOf, requestOfStep } from './remote-work.ts';

/**
 * Hands the inputs of the run to a worker of another host, and takes its outputs as the variables of the run. The
 * log has the transitions of a handoff: its child is the run on the other host.
 */
export const remoteNode: NodeType = {
  typeId: REMOTE_NODE,
  config: Type.Object(
    { peer: PeerName, worker: Type.String({ minLength: 1, maxLength: 256 }) },
    { additionalProperties: false },
  ),
  start: ({ config }) => ({
    do: 'perform',
    effects: [{ kind: PEER_MEET, request: workerIn(config), retry: REACHING }],
  }),
  outcome: (settled) => ({
    do: 'act',
    act: (working, nodeId) => {
      const node = working.plan.nodes.get(nodeId);
      if (node) takeOutcome(working, node, settled);
    },
  }),
  failing: (working, nodeId, error) => {
    const node = working.plan.nodes.get(nodeId);
    if (node) tellFailed(working, node, error);
  },
  request: requestOfStep,
  answered: (_view, answer) => ({
    do: 'act',
    act: (working, nodeId) => {
      const node = working.plan.nodes.get(nodeId);
      const remote = node && remoteOf(working, node);
      if (remote) takeAnswer(remote, answer);
    },
  }),
};

/** A peer that cannot be reached is asked again for about ten minutes. */
const REACHING = { tries: 16, backoffMs: 500, maxBackoffMs: 60_000 };
/** Work may take weeks. The limits of the run end the wait. */
const FOLLOWING = { tries: Number.MAX_SAFE_INTEGER, backoffMs: 500, maxBackoffMs: 300_000 };

function workerIn(config: JsonObject): JsonObject {
  return { peer: config.peer ?? '', worker: config.worker ?? '' };
}

function takeOutcome(working: WorkingRun, node: PlanNode, { step, outputs }: SettledEffect): void {
  switch (step.effect.kind) {
    case PEER_MEET:
      if (isReadable(working, node, MetPeer, outputs)) takeMet(working, node, outputs as unknown as MetPeer);
      return;
    case PEER_SEND: {
      const remote = remoteOf(working, node);
      if (remote && isReadable(working, node, SentWork, outputs))
        takeSent(remote, outputs as unknown as SentWork);
      return;
    }
    case PEER_ANSWER: {
      const remote = remoteOf(working, node);
      if (remote) follow(remote);
      return;
    }
    default: {
      const remote = remoteOf(working, node);
      if (remote === undefined || !isReadable(working, node, FinishedWork, outputs)) return;
      const finished = outputs as unknown as FinishedWork;
      if (finished.state === 'question') askQuestion(remote, step.step, finished.question);
      else takeFinished(remote, finished);
    }
  }
}

/** Outcomes come from adapters, and are read again from the log. */
function isReadable(
  working: WorkingRun,
  node: PlanNode,
  schema: Parameters<typeof problemWith>[0],
  outputs: JsonObject,
): boolean {
  if (problemWith(schema, outputs) === undefined) return true;
  giveUp(working, node, runError('peer_answer_invalid'));
  return false;
}

function takeMet(working: WorkingRun, node: PlanNode, { problem, repeatable }: MetPeer): void {
  if (problem) giveUp(working, node, problem);
  else send(working, node, { repeatable, causationId: tellBegan(working, node) });
}

function tellBegan(working: WorkingRun, node: PlanNode): string {
  const { startedId } = working.run.nodes[node.id] ?? { startedId: '' };
  const began = { workerId: String(node.config.worker), lastId: startedId };
  return recordTransition(working, node.id, began, 'dispatch.began');
}

/** The intent records what the log does not hold yet. The inputs are those of the run. */
function send(working: WorkingRun, node: PlanNode, more: JsonObject): void {
  const request = { ...workerIn(node.config), ...more };
  intend(working, node.id, [{ kind: PEER_SEND, request, retry: REACHING }]);
}

function takeSent(remote: Remote, { taskId, outputs, problem }: SentWork): void {
  const { working, node } = remote;
  if (problem) giveUp(working, node, problem);
  else if (taskId === undefined) askAboutLostWork(remote);
  else if (outputs === undefined) begin(remote, taskId);
  else {
    const lastId = tellBegun(remote, taskId);
    takeFinished({ ...remote, taskId, lastId }, { state: 'completed', outputs });
  }
}

/** From here on the run on the other host is known. */
function begin(remote: Remote, taskId: string): void {
  follow({ ...remote, taskId, lastId: tellBegun(remote, taskId) });
}

function tellBegun(remote: Remote, childRunId: string): string {
  const { working, node } = remote;
  return recordTransition(working, node.id, remote, 'dispatch.succeeded', { childRunId });
}

function follow({ working, node, taskId, lastId, met }: Remote): void {
  if (taskId === undefined) return;
  const { hostId } = met;
  const request = { ...workerIn(node.config), taskId, lastId, ...(hostId !== undefined && { hostId }) };
  intend(working, node.id, [{ kind: PEER_CHECK, request, retry: FOLLOWING }]);
}

/** The answer of a person to the question of the peer, or about a message that may have been lost. */
function takeAnswer(remote: Remote, answer: Answer): void {
  const { working, node } = remote;
  const lost = answeredLostWork(answer);
  if (lost === undefined) {
    const { taskId, lastId } = remote;
    if (taskId === undefined) return;
    const given: Json = answerOf(answer);
    const request = { ...workerIn(node.config), taskId, lastId, answer: given };
    intend(working, node.id, [{ kind: PEER_ANSWER, request, retry: REACHING }]);
    return;
  }
  switch (lost.kind) {
    case 'known':
      begin(remote, lost.taskId);
      return;
    case 'again':
      send(working, node, { repeatable: false, causationId: remote.lastId, key: firstKey(remote) });
      return;
    case 'given-up':
      giveUp(working, node, runError('handoff_lost'));
  }
}

function firstKey({ working, node }: Remote): string {
  const first = effectSteps(working.run, node.id).find(({ effect }) => effect.kind === PEER_SEND);
  const { execution = 1, attempt = 1 } = working.run.nodes[node.id] ?? {};
  return effectKey(working.run, { nodeId: node.id, execution, attempt, step: first?.step ?? 1 });
}

/** The peer does not take the work, or its answer cannot be used. */
function giveUp(working: WorkingRun, node: PlanNode, error: RunError): void {
  tellFailed(working, node, error);
  failNode(working, node, error, false);
}

/** Records the transition with which a failure ends the handoff, however far the handoff has come. */
function tellFailed(working: WorkingRun, node: PlanNode, error: RunError): void {
  const remote = remoteOf(working, node);
  const { taskId: childRunId } = remote ?? {};
  if (remote && childRunId !== undefined) {
    recordTransition(working, node.id, remote, 'child.failed', { childRunId, error });
    return;
  }
  const begun = remote ?? { workerId: String(node.config.worker), lastId: tellBegan(working, node) };
  recordTransition(working, node.id, begun, 'dispatch.failed', { error });
}

/** The questions that a handoff to another host can have for a person of this host. */

const LOST_WORK = 'lost-handoff';

/** The host stopped while it sent the message, and the peer would take a second one as more work. */
function askAboutLostWork({ working, node, workerId }: Remote): void {
  ask(working, node.id, (key) => ({
    kind: 'approval',
    key,
    data: {
      artifactId: key,
      artifactType: LOST_WORK,
      title: `The host stopped while it handed work to ${workerId}, so the work may have begun`,
      description:
        'Accept to send the message again. Edit to give the id of the task that has begun, as ' +
        '{"taskId": "…"}. Reject to give the work up.',
      artifactData: { worker: workerId, peer: String(node.config.peer) },
      actions: ['accept', 'edit-accept', 'reject'],
    },
  }));
}

type LostWork =
  | { readonly kind: 'again' }
  | { readonly kind: 'known'; readonly taskId: string }
  | { readonly kind: 'given-up' };

/** `undefined` when the question was another one. */
function answeredLostWork(answer: Answer): LostWork | undefined {
  const { request } = answer;
  if (request.kind !== 'approval' || request.data.artifactType !== LOST_WORK) return undefined;
  if (answer.outcome !== 'answered') return { kind: 'given-up' };
  if (answer.value.action !== 'edit-accept') return { kind: 'again' };
  const edited = answer.value.editedArtifactData;
  const taskId = isJsonObject(edited) ? edited.taskId : undefined;
  return typeof taskId === 'string' && TASK_ID.test(taskId)
    ? { kind: 'known', taskId }
    : { kind: 'given-up' };
}

const TASK_ID = /^[\x21-\x7e]{1,256}$/;

/** An agent of another kind needs an answer before it can go on. */
function askQuestion({ working, node, workerId }: Remote, step: number, question?: string): void {
  ask(
    working,
    node.id,
    (key) => ({
      kind: 'clarification',
      key,
      data: { questions: [{ id: 'answer', question: question || `${workerId} asks for more information.` }] },
    }),
    `question-${step}`,
  );
}

/** The words of the person, or the whole answer when it has another form. */
function answerOf(answer: Answer): Json {
  if (answer.outcome === 'timeout') return '';
  const { answers } = answer.value;
  const words = isJsonObject(answers) ? answers.answer : undefined;
  return words ?? answer.value;
}
