import type { Database } from './database.ts';
import { atomically, transaction } from './transaction.ts';

/** More than the free space inside pages, so that a database which may not grow any more is noticed. */
const PROBE_CHARACTERS = 64 * 1024;

/** Writes to the disk, durably, and leaves nothing behind. Throws what a commit would. */
export function writeProbe(database: Database): () => void {
  const own = transaction(database);
  const put = database.prepare(
    `INSERT INTO replies (tenant, principal, key, request, reply, at) VALUES ('', '', 'baton:write-probe', '', ?, 0)`,
  );
  const remove = database.prepare(`DELETE FROM replies WHERE tenant = '' AND key = 'baton:write-probe'`);
  return () =>
    atomically(own, () => {
      put.run('x'.repeat(PROBE_CHARACTERS));
      remove.run();
    });
}
