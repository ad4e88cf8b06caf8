/** Ids that follow from others, so that a replay makes the same ones. Only root run ids are random. */

export function eventId(runId: string, sequence: number): string {
  return `${runId}:${sequence}`;
}

/** The sequence in an event's id; nothing where the text is no such id. */
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
