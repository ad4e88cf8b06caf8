import type { Run } from './run.ts';

/**
 * The `traceparent` of the caller that the run belongs to. A fork is not part of the trace of its source: the
 * caller of the source did not ask for it. Its trace follows from its own id; see `traceOfRun`.
 */
export function callersTrace({ fork, traceparent }: Pick<Run, 'fork' | 'traceparent'>): string | undefined {
  return fork === undefined ? traceparent : undefined;
}
