import type { MemoryChange } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { carrier } from './carry.ts';
import { entryWriter } from './entry-writer.ts';
import { scopeMover } from './scopes.ts';

/** Writes one change in a transaction. False if the memory scope has another version than expected. */
export function memoryWriter(database: Database): (change: MemoryChange) => boolean {
  const moveOn = scopeMover(database);
  const entries = entryWriter(database);
  const carry = carrier(database, entries);
  return (change) => {
    const scopeNo = moveOn(change);
    if (scopeNo === undefined) return false;
    switch (change.kind) {
      case 'write':
        entries.write(scopeNo, change);
        return true;
      case 'forget':
        entries.forget(scopeNo, change);
        return true;
      case 'carry':
        return carry(scopeNo, change);
    }
  };
}
