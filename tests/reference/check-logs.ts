import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '@baton/protocol';
import Database from 'better-sqlite3';
import { checkOfficial, referenceFolder } from '../../packages/engine/src/testkit/official-schemas.ts';

/** Checks every event that a host has stored in its data folder against the protocol's schemas. */
export function checkLogs(dataFolder: string): void {
  const file = join(dataFolder, 'baton.db');
  if (referenceFolder === undefined || !existsSync(file)) return;
  const database = new Database(file, { readonly: true });
  try {
    for (const { data } of database.prepare<[], { data: string }>('SELECT data FROM events').all()) {
      const event = JSON.parse(data) as RunEvent;
      // What was erased is no longer what its schema asks for.
      if (!('erased' in event.payload)) checkOfficial(event);
    }
  } finally {
    database.close();
  }
}
