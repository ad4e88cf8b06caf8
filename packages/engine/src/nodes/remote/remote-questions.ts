import { isJsonObject, type Json } from '@baton/protocol';
import type { Answer } from '../../kernel/model.ts';
import { ask } from '../../kernel/people/asking.ts';
import type { Remote } from './remote-work.ts';

/** The questions that a handoff to another host can have for a person of this host. */

const LOST_WORK = 'lost-handoff';

/** The host stopped while it sent the message, and the peer would take a second one as more work. */
export function askAboutLostWork({ working, node, workerId }: Remote): void {
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
export function answeredLostWork(answer: Answer): LostWork | undefined {
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
export function askQuestion({ working, node, workerId }: Remote, step: number, question?: string): void {
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
export function answerOf(answer: Answer): Json {
  if (answer.outcome === 'timeout') return '';
  const { answers } = answer.value;
  const words = isJsonObject(answers) ? answers.answer : undefined;
  return words ?? answer.value;
}
