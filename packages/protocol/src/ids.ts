/**
 * Ids that are derived from other ids, so that a replay makes the same ids. Only ids of root runs are random.
 */

export function eventId(runId: string, sequence: number): string {
  return `${runId}:${sequence}`;
}

/** The sequence in the id of an event, or undefined if the text is not such an id. */
export function eventSequence(id: string): number | undefined {
  const digits = /:(\d+)$/.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function childRunId(parentRunId: string, ordinal: number): string {
  return `${parentRunId}.${ordinal}`;
}

export function rootRunId(runId: string): string {
  const dot = runId.indexOf('.');
  return dot === -1 ? runId : runId.slice(0, dot);
}
