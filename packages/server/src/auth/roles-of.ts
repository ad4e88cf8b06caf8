import type { ResolveRoles } from '@baton/engine';
import type { KeyReads } from '@baton/engine/ports';
import { OPERATOR, OPERATOR_TENANT } from './keyring.ts';

/** The roles of a principal are the roles of all valid keys that it holds now. */
export async function rolesOf(reads: Pick<KeyReads, 'keys'>, tenant: string): Promise<ResolveRoles> {
  const keys = await reads.keys();
  return (principal) => {
    if (tenant === OPERATOR_TENANT && principal === OPERATOR) return ['operator'];
    const held = keys.filter(
      (key) => key.tenant === tenant && key.principal === principal && key.revokedAt === undefined,
    );
    return held.length === 0 ? undefined : [...new Set(held.flatMap((key) => key.roles ?? []))];
  };
}
