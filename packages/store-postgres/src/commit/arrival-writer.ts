import type { Arrival } from '@baton/engine/ports';
import { scopeRestorer } from '../audit/scope-history.ts';
import type { Queries } from '../database/database.ts';

/**
 * Writes the definitions and memory scopes of an imported tree. `rootNo` is the root of the tree. Returns
 * false if the root does not exist, or if earlier parts of the import were removed, for example by another host that
 * took it for interrupted.
 */
export async function writeArrival(
  queries: Queries,
  { waiting, definitions = [], scopes = [], becomes }: Arrival,
  rootNo: number | undefined,
): Promise<boolean> {
  const [, removed] = await Promise.all([queries.rows(LOCK, waiting), queries.row(REMOVED, waiting)]);
  if (removed !== undefined) return false;
  const digests = definitions.map(({ digest }) => digest);
  const texts = definitions.map(({ definition }) => definition);
  await queries.row(KEEP_DEFINITIONS, digests, texts, waiting);
  if (rootNo === undefined) return scopes.length === 0 && becomes === undefined;
  const restore = scopeRestorer(queries);
  for (const scope of scopes) await restore(waiting, scope, rootNo);
  if (becomes === undefined) return true;
  await Promise.all([
    queries.run('UPDATE scopes SET tenant = $1 WHERE tenant = $2', becomes, waiting),
    queries.run(
      'UPDATE runs SET tenant = $1, arriving = NULL WHERE tenant = $2 AND arriving',
      becomes,
      waiting,
    ),
    queries.row(HAND_OVER_USAGE, becomes, waiting),
  ]);
  return true;
}

/** Nobody removes the runs of the import before the transaction ends. */
const LOCK = 'SELECT 1 FROM runs WHERE tenant = $1 AND arriving ORDER BY run_no FOR NO KEY UPDATE';

const REMOVED = 'SELECT 1 FROM runs WHERE tenant = $1 AND purged_at IS NOT NULL LIMIT 1';

const KEEP_DEFINITIONS = `
  WITH kept AS (
    INSERT INTO definitions (digest, definition)
    SELECT * FROM unnest($1::text[], $2::text[]) AS given (digest, definition) ORDER BY digest COLLATE "C"
    ON CONFLICT (digest) DO NOTHING RETURNING octet_length(definition) AS bytes
  )
  SELECT count_bytes($3, sum(bytes)::bigint) FROM kept HAVING count(*) > 0`;

const HAND_OVER_USAGE = `
  WITH handed AS (DELETE FROM tenant_usage WHERE tenant = $2 RETURNING bytes)
  SELECT count_bytes($1, sum(bytes)::bigint) FROM handed HAVING count(*) > 0`;
