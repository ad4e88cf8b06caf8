import { type Imported, isoTime } from '@baton/protocol';
import type { ImportRecord } from './ports/store.ts';

/** What readers are told of where an imported run comes from, and who vouches for it. */
export function importedView({ from, by, at, vouchedBy }: ImportRecord): Imported {
  return { from, by, at: isoTime(at), ...(vouchedBy !== undefined && { vouchedBy }) };
}
