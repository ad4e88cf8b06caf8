import type { ApprovalAnswer, Json, JsonObject } from '@baton/protocol';
import type { Duration } from './duration.ts';
import type { AnswerOptions, TestRun } from './run-types.ts';

/** One step of a test. */
export type Step = (run: TestRun) => unknown;

/** Answers the question of a node with any value. */
export function answer(nodeId: string, value: Json, options?: AnswerOptions): Step {
  return (run) => run.answer(nodeId, value, options);
}

/** Accepts what a node, or a merge gate, asks to approve. */
export function accept(nodeId: string, options?: AnswerOptions & Pick<ApprovalAnswer, 'comment'>): Step {
  const { comment, ...who } = options ?? {};
  return (run) => run.decide(nodeId, 'accept', comment === undefined ? {} : { comment }, who);
}

/** Rejects it. */
export function reject(nodeId: string, options?: AnswerOptions & Pick<ApprovalAnswer, 'comment'>): Step {
  const { comment, ...who } = options ?? {};
  return (run) => run.decide(nodeId, 'reject', comment === undefined ? {} : { comment }, who);
}

/** Accepts it with other values. */
export function edit(nodeId: string, values: JsonObject, options?: AnswerOptions): Step {
  return (run) => run.decide(nodeId, 'edit-accept', { editedArtifactData: values }, options);
}

/** Lets time pass, for example `pass('2d')`. */
export function pass(duration: Duration): Step {
  return (run) => run.pass(duration);
}

/** Lets time pass until the run has ended or somebody has to answer. */
export function untilAtRest(): Step {
  return (run) => run.untilAtRest();
}

export function cancel(reason?: string): Step {
  return (run) => run.cancel(reason);
}
