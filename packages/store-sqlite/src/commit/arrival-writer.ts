import type { Arrival } from '@baton/engine/ports';
import { scopeRestorer } from '../audit/scope-history.ts';
import type { Database } from '../database/database.ts';
import { usageCounter } from './usage-counter.ts';

/**
 * Writes the definitions and memory scopes of an imported tree. `rootNo` is the root of the tree. Returns
 * false if the root does not exist, or if earlier parts of the import were removed, for example by a restart
 * of the engine.
 */
export function arrivalWriter(database: Database): (arrival: Arrival, rootNo: number | undefined) => boolean {
  const restoreScope = scopeRestorer(database);
  const keepDefinition = database.prepare(
    'INSERT INTO definitions (digest, definition) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING',
  );
  const usage = usageCounter(database);
  const handOverScopes = database.prepare('UPDATE scopes SET tenant = ? WHERE tenant = ?');
  const handOverRuns = database.prepare(
    'UPDATE runs SET tenant = ?, arriving = NULL WHERE tenant = ? AND arriving = 1',
  );
  const handOverUsage = database.prepare(HAND_OVER_USAGE);
  const forgetUsage = database.prepare('DELETE FROM tenant_usage WHERE tenant = ?');
  const removed = database.prepare(
    'SELECT 1 FROM runs INDEXED BY runs_by_tenant WHERE tenant = ? AND purged_at IS NOT NULL LIMIT 1',
  );
  return ({ waiting, definitions = [], scopes = [], becomes }, rootNo) => {
    if (removed.get(waiting) !== undefined) return false;
    for (const { digest, definition } of definitions) {
      if (keepDefinition.run(digest, definition).changes > 0)
        usage.add(waiting, Buffer.byteLength(definition));
    }
    usage.flush();
    if (rootNo === undefined) return scopes.length === 0 && becomes === undefined;
    for (const scope of scopes) restoreScope(waiting, scope, rootNo);
    if (becomes === undefined) return true;
    handOverScopes.run(becomes, waiting);
    handOverRuns.run(becomes, waiting);
    handOverUsage.run(becomes, waiting);
    forgetUsage.run(waiting);
    return true;
  };
}

const HAND_OVER_USAGE = `
  INSERT INTO tenant_usage (tenant, bytes) SELECT ?, bytes FROM tenant_usage WHERE tenant = ?
  ON CONFLICT (tenant) DO UPDATE SET bytes = bytes + excluded.bytes`;
