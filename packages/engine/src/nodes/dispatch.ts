import { type Decision, type JsonObject, MemoryScopeIsolation, Ordinal, runError } from '@baton/protocol';
import Type from 'typebox';
import { completeNode } from '../kernel/execute.ts';
import { childGoals } from '../kernel/goal.ts';
import type { PlanNode } from '../kernel/graph/plan.ts';
import { gateOf } from '../kernel/handoff/gate.ts';
import {
  gateOutputs,
  type Handing,
  lastChild,
  proceedWithWorkers,
  workersOf,
} from '../kernel/handoff/handoff.ts';
import { effectiveMapping, project } from '../kernel/handoff/mapping.ts';
import { checkEdit, takeAnswer } from '../kernel/handoff/merge-gate.ts';
import { isIsolated } from '../kernel/memory/carry.ts';
import type { NodeType } from '../kernel/node-type.ts';
import { ask } from '../kernel/people/asking.ts';
import { handoffOf } from '../kernel/run.ts';
import type { Turn } from '../kernel/turn.ts';

const MappingSchema = Type.Record(Type.String(), Type.String());

export const DispatchConfig = Type.Object(
  {
    askUserRouting: Type.Optional(Type.Unsafe({ enum: ['auto', 'clarification'] })),
    workerDispatchModel: Type.Optional(Type.Literal('child-run')),
    fanOutPolicy: Type.Optional(Type.Unsafe<'sequential' | 'reject'>({ enum: ['sequential', 'reject'] })),
    iterationCap: Type.Optional(Ordinal),
    inputMapping: Type.Optional(MappingSchema),
    outputMapping: Type.Optional(MappingSchema),
    perWorkerInputMappings: Type.Optional(Type.Record(Type.String(), MappingSchema)),
    perWorkerOutputMappings: Type.Optional(Type.Record(Type.String(), MappingSchema)),
    memoryScopeIsolation: Type.Optional(MemoryScopeIsolation),
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
  proceed,
  checkAnswer: (turn, nodeId, value) => {
    const workerId = handoffOf(turn.run, nodeId)?.workerId;
    const node = turn.plan.nodes.get(nodeId);
    if (workerId !== undefined && node) checkEdit(turn, nodeId, handing(node).crossing(workerId), value);
  },
  answered: ({ run, node }, answer) => {
    const workerId = handoffOf(run, node.id)?.workerId;
    if (workerId === undefined) {
      return answer.outcome === 'timeout'
        ? { do: 'fail', error: runError('interrupt_timeout'), retryable: false }
        : { do: 'complete', outputs: answer.value };
    }
    return {
      do: 'act',
      act: (turn, nodeId) => {
        const planNode = turn.plan.nodes.get(nodeId);
        if (planNode) takeAnswer(turn, nodeId, handing(planNode).crossing(workerId), answer);
      },
    };
  },
};

function proceed(turn: Turn, nodeId: string): boolean {
  const node = turn.plan.nodes.get(nodeId);
  return node !== undefined && proceedWithWorkers(turn, nodeId, handing(node));
}

/** Inputs and outputs cross by the worker's map, or else the default one; refused workers go back to the supervisor. */
function handing(node: PlanNode): Handing {
  const gate = gateOf(node);
  const scopes = gate?.attestation?.principalScope;
  const isolated = isIsolated(node);
  return {
    crossing: (workerId) => ({
      gate,
      mapping: effectiveMapping(node.config, 'output', workerId),
      isolated,
    }),
    gift: (turn, workerId) => ({
      inputs: project(effectiveMapping(node.config, 'input', workerId), turn.run.variables),
      as: 'inputs',
      ...(scopes && { scopes }),
      isolated,
    }),
    finish: (turn, nodeId, wait) => {
      const goals = childGoals(turn.run, workersOf(wait));
      const outputs: JsonObject = { ...lastChild(wait), ...goals, ...gateOutputs(wait) };
      completeNode(turn, nodeId, outputs);
    },
  };
}

/** Each kind of decision has one way; the kinds are a closed set. */
function route(turn: Turn, nodeId: string, decision: Decision): void {
  switch (decision.kind) {
    case 'next-worker':
      proceed(turn, nodeId);
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
