import type { Arrival } from '@baton/engine/ports';
import { scopeRestorer } from '../audit/scope-history.ts';
import type { Database } from '../database/database.ts';

/** Writes what comes with runs from elsewhere. `rootNo` is the tree that it belongs to; false when that is not there. */
export function arrivalWriter(database: Database): (arrival: Arrival, rootNo: number | undefined) => boolean {
  const restoreScope = scopeRestorer(database);
  const keepDefinition = database.prepare(
    'INSERT INTO definitions (digest, definition) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING',
  );
  const handOverScopes = database.prepare('UPDATE scopes SET tenant = ? WHERE tenant = ?');
  const handOverRuns = database.prepare(
    'UPDATE runs SET tenant = ?, arriving = NULL WHERE tenant = ? AND arriving = 1',
  );
  return ({ waiting, definitions = [], scopes = [], becomes }, rootNo) => {
    for (const { digest, definition } of definitions) keepDefinition.run(digest, definition);
    if (rootNo === undefined) return scopes.length === 0 && becomes === undefined;
    for (const scope of scopes) restoreScope(waiting, scope, rootNo);
    if (becomes === undefined) return true;
    handOverScopes.run(becomes, waiting);
    handOverRuns.run(becomes, waiting);
    return true;
  };
}
