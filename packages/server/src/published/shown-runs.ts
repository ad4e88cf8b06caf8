import type { RunRow } from '@baton/engine/ports';
import type { Identity } from '../auth/identity.ts';

/**
 * Whether a caller of A2A or MCP is shown a run of its tenant: a root run whose log is kept. A peer is shown only the
 * runs that it has started itself, because the operator may have given it a tenant that others use too.
 */
export function isShownTo(identity: Pick<Identity, 'peer' | 'principal'>, row: RunRow): boolean {
  const isKept = row.erasedAt === undefined && row.purgedAt === undefined;
  const isOwn = identity.peer === undefined || row.principal === identity.principal;
  return isKept && isOwn && row.parentRunId === undefined;
}
