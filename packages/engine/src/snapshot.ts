import { isoTime, type JsonObject, type RunSnapshot, traceOfRun } from '@baton/protocol';
import { sha256 } from './audit/sha256.ts';
import { callersTrace } from './kernel/callers-trace.ts';
import { gateOutputs } from './kernel/handoff/handoff.ts';
import type { NodeState, OpenInterrupt, Run, Wait } from './kernel/run.ts';
import { hideSealed } from './kernel/secrecy/sealed.ts';
import type { RunRow } from './ports/store.ts';

/** A run as its readers see it: nothing in it that is sealed. */

const ENGINE_VERSION = '0.3.0';
export const EVENT_LOG_SCHEMA_VERSION = 2;

export function snapshotOf(run: Run, row: RunRow, children: readonly RunRow[]): RunSnapshot {
  const open = Object.values(run.interrupts)[0];
  const currentNodeId = open?.nodeId ?? run.active[0];
  const ended = run.phase.kind === 'ended' ? run.phase : undefined;
  const traceparent = callersTrace(run);
  return hideSealed({
    runId: run.runId,
    workflowId: run.workflowId,
    workflowVersion: run.workflowVersion,
    status: row.status,
    owner: { tenant: run.tenant, principal: run.principal },
    ...(currentNodeId !== undefined && { currentNodeId }),
    startedAt: isoTime(run.startedAt),
    ...(ended && { completedAt: isoTime(run.at) }),
    inputs: run.inputs,
    variables: run.variables,
    ...(Object.keys(run.channels).length > 0 && { channels: run.channels }),
    nodeStates: Object.fromEntries(Object.entries(run.nodes).map(([id, state]) => [id, nodeView(state)])),
    ...(ended?.error && { error: ended.error }),
    ...(run.agent && { agent: run.agent }),
    ...(run.orchestrator && { runOrchestrator: run.orchestrator }),
    ...(run.iteration > 0 && { iteration: run.iteration }),
    ...(run.goal && { goal: run.goal }),
    ...(run.role && { role: run.role }),
    ...(run.usage && { usage: run.usage }),
    ...(open && { interrupt: interruptView(open) }),
    ...(run.fork && {
      fork: { sourceRunId: run.fork.sourceRunId, fromSeq: run.fork.fromSeq, mode: run.fork.mode },
      ...(run.fork.diverged && { diverged: true }),
    }),
    ...(run.parent && { parentRunId: run.parent.runId, parentNodeId: run.parent.nodeId }),
    ...(children.length > 0 && { childRuns: children.map(childView) }),
    ...(Object.keys(run.configurable).length > 0 && { configurable: run.configurable }),
    ...(run.tags.length > 0 && { tags: [...run.tags] }),
    ...(run.metadata && { metadata: run.metadata }),
    ...(traceparent !== undefined && { traceparent }),
    traceId: traceOfRun(run.runId, traceparent, sha256).traceId,
    eventLogSchemaVersion: EVENT_LOG_SCHEMA_VERSION,
    lastSequence: run.head - 1,
    engineVersion: ENGINE_VERSION,
  });
}

/** What is left to say about a run whose log was erased: what the index knows. */
export function snapshotWithoutLog(row: RunRow, children: readonly RunRow[]): RunSnapshot {
  return {
    runId: row.runId,
    workflowId: row.workflowId,
    workflowVersion: row.workflowVersion,
    status: row.status,
    owner: { tenant: row.tenant, principal: row.principal },
    startedAt: isoTime(row.createdAt),
    completedAt: isoTime(row.updatedAt),
    inputs: {},
    variables: {},
    nodeStates: {},
    ...(row.role && { role: row.role }),
    ...(row.parentRunId && { parentRunId: row.parentRunId }),
    ...(row.parentNodeId && { parentNodeId: row.parentNodeId }),
    ...(children.length > 0 && { childRuns: children.map(childView) }),
    eventLogSchemaVersion: EVENT_LOG_SCHEMA_VERSION,
    lastSequence: Math.max(row.head - 1, 0),
    engineVersion: ENGINE_VERSION,
    ...(row.erasedAt !== undefined && { erased: true }),
    ...(row.purgedAt !== undefined && { purged: true }),
  };
}

function childView(child: RunRow): JsonObject {
  return {
    runId: child.runId,
    workflowId: child.workflowId,
    status: child.status,
    ...(child.role !== undefined && { role: child.role }),
    ...(child.goalMet !== undefined && { goalMet: child.goalMet }),
    ...(child.parentNodeId !== undefined && { parentNodeId: child.parentNodeId }),
  };
}

function interruptView(open: OpenInterrupt): JsonObject {
  const { kind, key, data, timeoutMs } = open.request;
  return {
    interruptId: key,
    kind,
    key,
    nodeId: open.nodeId,
    data: data as unknown as JsonObject,
    requestedAt: isoTime(open.requestedAt),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(open.expiresAt !== undefined && { expiresAt: isoTime(open.expiresAt) }),
  };
}

export function nodeView(state: NodeState): JsonObject {
  const common = {
    status: state.status,
    ...(state.typeId !== '' && { typeId: state.typeId }),
    execution: state.execution,
    attempt: state.attempt,
  };
  switch (state.status) {
    case 'running':
      return { ...common, ...waitView(state.wait) };
    case 'completed':
      return { ...common, outputs: state.outputs };
    case 'failed':
      return {
        ...common,
        error: { code: state.error.code, message: state.error.message },
        ...gateOutputs(state),
      };
    case 'retrying':
      return { ...common, retryAt: isoTime(state.until) };
    case 'skipped':
    case 'cancelled':
      return {
        ...common,
        ...(state.reason !== undefined && { reason: state.reason }),
        ...gateOutputs(state),
      };
  }
}

function waitView(wait: Wait): JsonObject {
  switch (wait.for) {
    case 'time':
      return { waitingFor: 'time', until: isoTime(wait.until) };
    case 'answer':
      return { waitingFor: 'answer', interruptId: wait.key };
    case 'child':
      return { waitingFor: 'child', childRunId: wait.childRunId };
    case 'workers':
      return {
        waitingFor: 'workers',
        ...(wait.handoff && { workerId: wait.handoff.workerId, handoff: wait.handoff.state }),
        ...(wait.handoff?.childRunId && { childRunId: wait.handoff.childRunId }),
      };
    case 'effects': {
      const pending = wait.steps.filter(({ outputs }) => outputs === undefined);
      const retryAt = pending.length === 1 ? pending[0]?.until : undefined;
      return { waitingFor: 'effect', ...(retryAt !== undefined && { retryAt: isoTime(retryAt) }) };
    }
    case 'nothing':
      return {};
  }
}
