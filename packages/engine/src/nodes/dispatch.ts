import { type Decision, runError } from '@baton/protocol';
import Type from 'typebox';
import { completeNode } from '../kernel/execute.ts';
import { proceedWithWorkers } from '../kernel/handoff.ts';
import { ask } from '../kernel/interrupts.ts';
import type { NodeType } from '../kernel/node-type.ts';
import type { Turn } from '../kernel/turn.ts';

const MappingSchema = Type.Record(Type.String(), Type.String());

export const DispatchConfig = Type.Object(
  {
    askUserRouting: Type.Optional(Type.Unsafe({ enum: ['auto', 'clarification'] })),
    workerDispatchModel: Type.Optional(Type.Literal('child-run')),
    fanOutPolicy: Type.Optional(Type.Unsafe<'sequential' | 'reject'>({ enum: ['sequential', 'reject'] })),
    iterationCap: Type.Optional(Type.Integer({ minimum: 1 })),
    inputMapping: Type.Optional(MappingSchema),
    outputMapping: Type.Optional(MappingSchema),
    perWorkerInputMappings: Type.Optional(Type.Record(Type.String(), MappingSchema)),
    perWorkerOutputMappings: Type.Optional(Type.Record(Type.String(), MappingSchema)),
  },
  { additionalProperties: false },
);

/** Acts on the supervisor's latest decision. */
export const dispatch: NodeType = {
  typeId: 'core.dispatch',
  config: DispatchConfig,
  start: ({ run, config }) => {
    const decision = run.decision?.decision;
    if (decision === undefined)
      return { do: 'fail', error: runError('no_pending_decision'), retryable: false };
    const isFanOut = decision.kind === 'next-worker' && decision.nextWorkerIds.length > 1;
    if (isFanOut && config.fanOutPolicy === 'reject') {
      return { do: 'fail', error: runError('fan_out_unsupported'), retryable: false };
    }
    return { do: 'act', act: (turn, nodeId) => route(turn, nodeId, decision) };
  },
  proceed: proceedWithWorkers,
  answered: (_node, answer) =>
    answer.outcome === 'timeout'
      ? { do: 'fail', error: runError('interrupt_timeout'), retryable: false }
      : { do: 'complete', outputs: answer.value },
};

/** Each kind of decision has one way; the kinds are a closed set. */
function route(turn: Turn, nodeId: string, decision: Decision): void {
  switch (decision.kind) {
    case 'next-worker':
      proceedWithWorkers(turn, nodeId);
      return;
    case 'terminate':
      completeNode(turn, nodeId);
      return;
    case 'ask-user':
    case 'clarify':
      ask(turn, nodeId, (key) => ({
        kind: 'clarification',
        key,
        data: { questions: [{ id: 'answer', question: decision.prompt }] },
      }));
      return;
    case 'escalate':
      ask(turn, nodeId, (key) => ({
        kind: 'approval',
        key,
        data: {
          artifactId: key,
          artifactType: 'orchestrator-decision',
          title: decision.prompt ?? decision.reason ?? 'The supervisor asks for a decision.',
          artifactData: { variables: turn.run.variables },
          actions: ['accept', 'reject'],
        },
      }));
  }
}
