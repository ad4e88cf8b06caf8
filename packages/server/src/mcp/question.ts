import { type InterruptKind, isTerminal, type Json, type RunSnapshot } from '@baton/protocol';

/** The interrupt that a run waits for. */
export interface OpenQuestion {
  readonly interruptId: string;
  readonly nodeId: string;
  readonly kind: InterruptKind;
  readonly data: Json;
}

export function questionIn({ status, interrupt }: RunSnapshot): OpenQuestion | undefined {
  const { interruptId, nodeId, kind, data = null } = interrupt ?? {};
  if (isTerminal(status) || typeof interruptId !== 'string') return undefined;
  return { interruptId, nodeId: String(nodeId), kind: kind as InterruptKind, data };
}
