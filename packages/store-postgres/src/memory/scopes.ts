import type { MemoryReads, NamedScope, ScopeHead } from '@baton/engine/ports';
import type { Queries } from '../database/database.ts';

export interface FoundScope extends ScopeHead {
  readonly scopeNo: number;
}

/** A text of Postgres cannot hold this character, so no name has it. A caller may ask for any name. */
const NUL = '\0';

/** Finds memory scopes of this tenant by their names, never those of another tenant. */
export async function findScopes(
  queries: Queries,
  tenant: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, FoundScope>> {
  const possible = names.filter((name) => !name.includes(NUL));
  const found = await queries.rows<FoundScope & NamedScope>(FIND, tenant, possible);
  return new Map(found.map(({ name, ...scope }) => [name, scope]));
}

export async function findScope(
  queries: Queries,
  tenant: string,
  name: string,
): Promise<FoundScope | undefined> {
  return (await findScopes(queries, tenant, [name])).get(name);
}

export function scopeLister(database: Queries): MemoryReads['scopes'] {
  return (tenant, prefix, limit, after = prefix) =>
    database.rows<NamedScope>(LIST, tenant, after.split(NUL)[0] ?? '', prefix, limit);
}

/** Increases the version of a memory scope, if it is the expected one (`$3`). This locks the memory scope for others. */
export const MOVE_SCOPE = `
  UPDATE scopes SET version = version + 1 WHERE tenant = $1 AND name = $2 AND version = $3::bigint
  RETURNING scope_no`;

/** Begins a memory scope, unless there is one of this name. `$4` says whether it is shared. */
export const BEGIN_SCOPE = `
  INSERT INTO scopes (tenant, name, shared, version, oldest) VALUES ($1, $2, $4, 1, 0)
  ON CONFLICT (tenant, name) DO NOTHING RETURNING scope_no`;

const FIND = `
  SELECT name, scope_no AS "scopeNo", version, oldest FROM scopes WHERE tenant = $1 AND name = ANY($2)`;

/** The last character of Unicode comes after all that a name has. */
const LIST = `
  SELECT name, version, oldest FROM scopes
  WHERE tenant = $1 AND name > $2 AND name < $3 || U&'\\+10FFFF'
  ORDER BY name LIMIT $4`;
