import { signStatement } from '@baton/engine';
import type { RunRow } from '@baton/engine/ports';
import {
  digest,
  eventId,
  isTerminal,
  type JsonObject,
  type ResultStatement,
  type RunSnapshot,
} from '@baton/protocol';
import type { HostContext } from '../http/context.ts';

/** The result of a run: the variables that it ended with, and a signed statement about them. */
export interface RunResult {
  readonly outputs: JsonObject;
  /** Absent for a run of a version without hash chains. */
  readonly statement?: ResultStatement;
}

/**
 * The result of a run that has ended. A run that did not complete has no outputs, and its statement covers an empty
 * object.
 */
export function resultOf(
  { hostId, auditKey, telling }: Pick<HostContext, 'hostId' | 'auditKey' | 'telling'>,
  { tenant, runId, status, head, chain }: RunRow,
  { variables }: RunSnapshot,
): RunResult | undefined {
  if (!isTerminal(status)) return undefined;
  // Secrets are removed before the checksum is made. Otherwise they would be removed when the answer is sent, and the
  // outputs would not have the checksum that was signed.
  const outputs: JsonObject =
    status === 'completed' ? JSON.parse(telling.json(tenant, JSON.stringify(variables))) : {};
  const facts = { hostId, runId, status, eventId: eventId(runId, head - 1), checksum: digest(outputs) };
  return {
    outputs,
    ...(chain !== undefined && { statement: signStatement(auditKey, { ...facts, link: chain }) }),
  };
}
