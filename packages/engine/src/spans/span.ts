import { type SpanSubject, spanIdOf, type Trace, traceOfRun } from '@baton/protocol';
import { sha256 } from '../audit/sha256.ts';
import { callersTrace } from '../kernel/callers-trace.ts';
import type { Run } from '../kernel/run.ts';

export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/**
 * A part of a trace that has ended. Its ids and times follow from the log, so it is the same whenever it is
 * made. It holds names, numbers and codes, and nothing that a person, a model or a tool has said.
 */
export interface EndedSpan {
  readonly tenant: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** `client` for a call to the outside. */
  readonly kind: 'internal' | 'client';
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: SpanAttributes;
  /** The code of the error with which it ended. */
  readonly error?: string;
}

export const idOf = (subject: SpanSubject, key: string): string => spanIdOf(subject, key, sha256);

export function traceOf(run: Run): Trace {
  return traceOfRun(run.runId, callersTrace(run), sha256);
}

export const runSpanId = (runId: string): string => idOf('run', runId);

/** The span of the handoff through which a child was started. It is the parent of the child's own span. */
export const handoffSpanId = (childRunId: string): string => idOf('handoff', childRunId);

export const agentSpanId = (runId: string, invocationId: string): string =>
  idOf('agent', `${runId}/${invocationId}`);

/** The span of the present attempt of a node. */
export function nodeSpanId({ runId, nodes }: Run, nodeId: string): string {
  const { execution = 0, attempt = 0 } = nodes[nodeId] ?? {};
  return idOf('node', `${runId}/${nodeId}/${execution}/${attempt}`);
}

/** The span in which a node does its work: that of its agent, if it has one. */
export function workSpanId(run: Run, nodeId: string): string {
  const state = run.nodes[nodeId];
  const invocation = state?.status === 'running' ? state.invocation : undefined;
  return invocation ? agentSpanId(run.runId, invocation.id) : nodeSpanId(run, nodeId);
}

type Made = Pick<EndedSpan, 'spanId' | 'name' | 'startedAt' | 'endedAt'> &
  Partial<Pick<EndedSpan, 'kind' | 'attributes'>> & {
    readonly parentSpanId: string | undefined;
    readonly error?: string | undefined;
  };

/** A branch has only a part of what its source began before: the part since it was made. */
export function spanOf(run: Run, { parentSpanId, error, ...made }: Made): EndedSpan {
  const { traceId } = traceOf(run);
  return {
    tenant: run.tenant,
    traceId,
    kind: 'internal',
    ...made,
    startedAt: Math.min(Math.max(made.startedAt, run.fork?.createdAt ?? 0), made.endedAt),
    attributes: { 'baton.run.id': run.runId, ...made.attributes },
    ...(parentSpanId !== undefined && { parentSpanId }),
    ...(error !== undefined && { error }),
  };
}
