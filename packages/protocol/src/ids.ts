/** Ids that follow from others, so that a replay makes the same ones. Only root run ids are random. */

export function eventId(runId: string, sequence: number): string {
  return `${runId}:${sequence}`;
}

export function childRunId(parentRunId: string, ordinal: number): string {
  return `${parentRunId}.${ordinal}`;
}

export function rootRunId(runId: string): string {
  const dot = runId.indexOf('.');
  return dot === -1 ? runId : runId.slice(0, dot);
}
