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
import type { NodeType } from '../kernel/model.ts';
import { ask } from '../kernel/people/asking.ts';
import { handoffOf } from '../kernel/run.ts';
import type { WorkingRun } from '../kernel/working-run.ts';

const MappingSchema = Type.Record(Type.String(), Type.String());

const DispatchConfig = Type.Object(
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
    if (decision.kind === 'next-worker') return { do: 'proceed' };
    return { do: 'act', act: (working, nodeId) => route(working, nodeId, decision) };
  },
  proceed,
  checkAnswer: (working, nodeId, value) => {
    const workerId = handoffOf(working.run, nodeId)?.workerId;
    const node = working.plan.nodes.get(nodeId);
    if (workerId !== undefined && node) checkEdit(working, nodeId, handing(node).heldFor(workerId), value);
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
      act: (working, nodeId) => {
        const planNode = working.plan.nodes.get(nodeId);
        if (planNode) takeAnswer(working, nodeId, handing(planNode).heldFor(workerId), answer);
      },
    };
  },
};

function proceed(working: WorkingRun, nodeId: string): boolean {
  const node = working.plan.nodes.get(nodeId);
  return node !== undefined && proceedWithWorkers(working, nodeId, handing(node));
}

/** Inputs and outputs are mapped by the mapping of the worker, or else by the default mapping. */
function handing(node: PlanNode): Handing {
  const gate = gateOf(node);
  const scopes = gate?.attestation?.principalScope;
  const isolated = isIsolated(node);
  return {
    heldFor: (workerId) => ({
      gate,
      mapping: effectiveMapping(node.config, 'output', workerId),
      isolated,
    }),
    childStart: (working, workerId) => ({
      inputs: project(effectiveMapping(node.config, 'input', workerId), working.run.variables),
      as: 'inputs',
      ...(scopes && { scopes }),
      isolated,
    }),
    finish: (working, nodeId, wait) => {
      const goals = childGoals(working.run, workersOf(wait));
      const outputs: JsonObject = { ...lastChild(wait), ...goals, ...gateOutputs(wait) };
      completeNode(working, nodeId, outputs);
    },
  };
}

/** Acts on a decision without workers, by its kind. */
function route(
  working: WorkingRun,
  nodeId: string,
  decision: Exclude<Decision, { kind: 'next-worker' }>,
): void {
  switch (decision.kind) {
    case 'terminate':
      completeNode(working, nodeId);
      return;
    case 'ask-user':
    case 'clarify':
      ask(working, nodeId, (key) => ({
        kind: 'clarification',
        key,
        data: { questions: [{ id: 'answer', question: decision.prompt }] },
      }));
      return;
    case 'escalate':
      ask(working, nodeId, (key) => ({
        kind: 'approval',
        key,
        data: {
          artifactId: key,
          artifactType: 'orchestrator-decision',
          title: decision.prompt ?? decision.reason ?? 'The supervisor asks for a decision.',
          artifactData: { variables: working.run.variables },
          actions: ['accept', 'reject'],
        },
      }));
  }
}
