import type { FindingKind } from '@baton/protocol';

/** A problem that an audit found. Sequences are inclusive, and as narrow as the evidence allows. */
export interface Finding {
  readonly what: FindingKind;
  readonly runId?: string;
  readonly from?: number;
  readonly to?: number;
  readonly checkpoint?: number;
  readonly message: string;
}

export function eventsFinding(
  what: FindingKind,
  runId: string,
  from: number,
  to: number,
  how: string,
): Finding {
  const which = from === to ? `event ${from}` : `events ${from} to ${to}`;
  return { what, runId, from, to, message: `${which} of run ${runId} ${how}` };
}
