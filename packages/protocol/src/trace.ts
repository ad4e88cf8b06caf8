import { type Sha256, sha256Hex } from './event-chain.ts';
import { rootRunId } from './ids.ts';

/**
 * W3C trace context. Trace ids and span ids follow from recorded values, so they are the same after a crash
 * and need no fields of their own in the log. Only a trace context that came from a caller is recorded
 * (`traceparent` in `run.started`).
 */

/** A trace, and whether the one that began it asks for its spans to be recorded. */
export interface Trace {
  readonly traceId: string;
  readonly sampled: boolean;
}

/** A trace, and one span in it. */
interface TraceContext extends Trace {
  readonly spanId: string;
}

const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Reads a `traceparent`. A malformed one is `undefined` and must be ignored, as the standard says. One of a
 * later version may have more fields, which are ignored; version 00 has none.
 */
export function parseTraceparent(text: string): TraceContext | undefined {
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/**
 * The trace of a run. `given` is the recorded `traceparent` of its caller. Without one, the trace id follows
 * from the id of the root run, so a run and its children have the same trace.
 */
export function traceOfRun(runId: string, given?: string, sha256: Sha256 = sha256Hex): Trace {
  const adopted = given === undefined ? undefined : parseTraceparent(given);
  if (adopted !== undefined) return { traceId: adopted.traceId, sampled: adopted.sampled };
  return { traceId: sha256(`trace ${rootRunId(runId)}`).slice(0, 32), sampled: true };
}

/** What a span is about. An `effect` is a model call, a tool call or another call to the outside. */
export type SpanSubject = 'run' | 'node' | 'agent' | 'effect' | 'handoff' | 'interrupt';

/** The id of a span. `key` names the subject of the span within all runs, for example the key of an effect. */
export function spanIdOf(subject: SpanSubject, key: string, sha256: Sha256 = sha256Hex): string {
  return sha256(`${subject} ${key}`).slice(0, 16);
}

/** The `traceparent` of a message about a run, such as a delivery to a webhook: its parent is the span of the run. */
export function traceparentOfRun(runId: string, given?: string): string {
  return formatTraceparent({ ...traceOfRun(runId, given), spanId: spanIdOf('run', runId) });
}

interface TracedCall {
  readonly runId: string;
  /** The key of the effect. It is the same for each try and after a crash, and so is the `traceparent`. */
  readonly key: string;
  /** The recorded `traceparent` of the caller of the run. */
  readonly trace?: string;
}

/** The `traceparent` that a call to the outside carries: the trace of the run, and the span of the call. */
export function traceparentOfCall({ runId, key, trace }: TracedCall): string {
  return formatTraceparent({ ...traceOfRun(runId, trace), spanId: spanIdOf('effect', key) });
}
