import type { MemoryChange } from '@baton/engine/ports';
import type { Queries } from '../database/database.ts';
import { carry } from './carry.ts';
import { addEntry } from './entry-writer.ts';

/**
 * Writes one change in a transaction. False if the memory scope has another version than expected. Changes may be
 * written without waiting for the earlier ones, if they are begun in their order.
 */
export function memoryWriter(queries: Queries): (change: MemoryChange) => Promise<boolean> {
  return (change) => (change.kind === 'carry' ? carry(queries, change) : addEntry(queries, change));
}
